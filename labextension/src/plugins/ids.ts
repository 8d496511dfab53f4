/** What the plugins have in common: their names. */

/** Name of the package; plugin ids begin with it, so that one pattern switches all of them off. */
export const EXTENSION = 'braincode-jupyter-labextension';

/** Domain of our texts in JupyterLab's catalogues. */
export const TRANSLATION_DOMAIN = 'braincode_jupyter';
