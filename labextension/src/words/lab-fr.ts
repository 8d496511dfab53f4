/** Français : ce que disent les commandes et le panneau des sessions. */

import { plural } from './forms';
import type { Language } from './language';

const one = plural('fr');

export const LAB: Language['lab'] = {
  copyReference: 'Copier comme référence @',
  copyOutputReference: 'Copier la sortie comme référence @',
  copyReferenceHint: 'Copier ce qu’il faut dans une demande pour désigner ceci',
  copiedReference: tokens => `Copié : ${tokens}`,
  outsideFolder: 'Aucune référence n’y mène : ce n’est pas dans le dossier du notebook.',
  notExecuted: 'Exécutez d’abord la cellule : une sortie porte le numéro de son exécution.',
  labelCell: 'Nommer cette cellule…',
  labelCellHint: 'Donner à cette cellule un nom auquel @cell: renvoie',
  labelTitle: 'Nommer cette cellule',
  labelAsk: 'Nom, pour @cell:NOM ; vide, il est retiré',
  labelOk: 'Nommer',
  labelBad: 'Un nom a des lettres, des chiffres, - et _, et commence par une lettre.',
  labelTaken: label => `Une autre cellule s’appelle ${label}.`,
  insertCode: 'Insérer le code de la réponse sous cette cellule',
  insertCodeHint: 'Insérer ce code dans une cellule ; il n’est pas exécuté',
  notebookNeeded: 'Ouvrez un notebook où insérer la cellule.',
  readOnly: 'Ce notebook est en lecture seule.',
  sessions: 'Sessions Brain',
  showSessions: 'Afficher les sessions Brain',
  search: 'Chercher une session',
  searchHint: 'Mots de la demande, de l’id, d’un modèle ou de l’état',
  refresh: 'Relire la liste',
  noPrompt: '(sans demande)',
  listed: total => `${one(total, 'session', 'sessions')}, la plus récente d’abord`,
  found: number => one(number, 'trouvée', 'trouvées'),
  foundSoFar: (number, looked, total) =>
    `${one(number, 'trouvée', 'trouvées')} dans ${looked} sur ${total}`,
  noneFound: 'Aucune session ne contient tous ces mots.',
  noSessions: 'Pas encore de session. Une cellule qui commence par %%braincode crée la première.',
  noNotebook: 'Ouvrez un notebook : son noyau donne la liste des sessions.',
  noKernel: 'Ce notebook n’a pas de noyau actif. Démarrez-en un, et ses sessions s’affichent ici.',
  notLoaded: 'braincode_jupyter n’est pas chargé dans ce noyau. Exécutez dans une cellule :',
  insertLoad: 'Insérer cette ligne',
  noAnswer: 'Le noyau n’a pas répondu. Pressez ⟳ pour redemander.',
  kernelBusy: 'Le noyau est occupé ; la liste viendra quand il sera libre.',
  openCard: 'Ouvrir',
  openCardHint: 'Ouvrir la carte de cette session (Entrée)',
  copyId: 'Copier @@id',
  copyIdHint: 'Copier la référence à cette session',
  resume: 'Continuer',
  resumeHint: 'Insérer une cellule qui poursuit cette session ; elle n’est pas exécutée',
  cardOf: title => `Session : ${title}`,
  close: 'Fermer',
  openFailed: 'La carte n’a pas pu être lue.',
  ended: (state, title) => `Exécution en arrière-plan ${state} : ${title}`,
  goToCell: 'Aller à la cellule'
};
