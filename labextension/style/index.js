import './run.css';
import './panel.css';
import './typing.css';
