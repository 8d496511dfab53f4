export { default } from './plugins/mime';
