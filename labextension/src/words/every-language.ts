/** All languages in one bundle, for a widget that is loaded where nobody else brings words. */

import FR from '../../../braincode_jupyter/views/catalogue/fr.json';
import ZH from '../../../braincode_jupyter/views/catalogue/zh.json';
import FR_RECORDS from '../../../braincode_jupyter/views/catalogue/records/fr.json';
import ZH_RECORDS from '../../../braincode_jupyter/views/catalogue/records/zh.json';
import { learn } from './catalogue';

export function learnEveryLanguage(): void {
  learn('fr', { ...FR, ...FR_RECORDS });
  learn('zh', { ...ZH, ...ZH_RECORDS });
}
