/** All languages in one bundle, for a widget that is loaded where nobody else brings words. */

import FR from '../../../braincode_jupyter/views/catalogue/fr.json';
import ZH from '../../../braincode_jupyter/views/catalogue/zh.json';
import { learn } from './catalogue';

export function learnEveryLanguage(): void {
  learn('fr', FR);
  learn('zh', ZH);
}
