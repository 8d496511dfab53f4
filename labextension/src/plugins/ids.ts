/** What the plugins have in common: their names. */

/** Name of the package; plugin ids begin with it, so that one pattern switches all of them off. */
export const EXTENSION = 'braincode-jupyter-labextension';
