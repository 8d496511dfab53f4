import './run.css';
import './panel.css';
