/** Français ; les signes doubles sont précédés d’une espace insécable. */

import { plural } from './forms';
import type { Language } from './language';
import { LAB } from './lab-fr';

const one = plural('fr');

export const FR: Language = {
  locale: 'fr',
  lab: LAB,
  runStates: {
    queued: 'en file',
    running: 'en cours',
    completed: 'terminée',
    needs_clarification: 'attend votre réponse',
    failed: 'échec',
    cancelled: 'annulée',
    interrupted: 'interrompue'
  },
  phases: {
    starting: 'démarrage',
    routing: 'planification',
    working: 'agents au travail',
    answering: 'rédaction',
    checking: 'vérification des modifications',
    reviewing: 'relecture',
    done: ''
  },
  agentStates: {
    queued: 'en file',
    waiting: 'en attente',
    running: 'en cours',
    waiting_for_approval: 'attend votre accord',
    completed: 'terminé',
    unstructured: 'non structuré',
    blocked: 'bloqué',
    failed: 'échec',
    cancelled: 'annulé',
    cut_off: 'tronqué',
    interrupted: 'interrompu'
  },
  toolStates: {
    running: 'en cours',
    done: 'terminé',
    failed: 'échec',
    denied: 'refusé',
    outcome_unknown: 'issue inconnue'
  },
  todoStates: {
    pending: 'à faire',
    running: 'en cours',
    completed: 'terminé',
    blocked: 'bloqué',
    failed: 'échec'
  },
  reviewStates: {
    not_required: 'non requise',
    pending: 'pas encore relue',
    running: 'relecture en cours',
    approved: 'approuvée',
    changes_requested: 'modifications demandées',
    blocked: 'bloquée',
    not_reviewed: 'non relue'
  },
  changedFiles: {
    new: 'nouveau',
    changed: 'modifié',
    removed: 'supprimé'
  },
  checks: {
    none: '',
    running: 'vérifications en cours',
    passed: 'vérifications réussies',
    failed: 'vérifications en échec',
    skipped: 'non vérifiées'
  },
  checkStates: {
    passed: 'réussie',
    failed: 'échec',
    timed_out: 'trop longue'
  },
  kindsOfRisk: {
    low: 'risque faible',
    medium: 'risque moyen',
    high: 'risque élevé',
    critical: 'risque critique'
  },
  effects: {
    read: 'lire',
    write: 'modifier des fichiers',
    execute: 'exécuter du code'
  },
  answerNotes: {
    none: '',
    streaming: '',
    completed: '',
    cut_off: '┄ tronquée\u00a0: le modèle s’est arrêté avant la fin',
    partial: '┄ partielle\u00a0: elle n’a pas été écrite jusqu’au bout'
  },
  independence: {
    none: 'relecteur inconnu',
    weak: 'par le modèle qui a écrit la réponse',
    moderate: 'par un autre modèle du même fournisseur',
    strong: 'par un modèle d’un autre fournisseur'
  },
  matrixCells: {
    seen: { sign: '●', word: 'vu' },
    own: { sign: 'sien', word: 'son propre texte' },
    withheld: { sign: '·', word: 'non vu' },
    not_called: { sign: '', word: 'non appelé' }
  },
  severities: {
    high: 'élevé',
    medium: 'moyen',
    low: 'faible'
  },
  words: {
    card: 'Exécution Brain',
    untitled: 'Exécution Brain',
    stop: 'Arrêter',
    stopping: 'arrêt en cours',
    stopAsked: 'Arrêt…',
    stopHint: 'Arrête l’exécution\u00a0; ce qui a été produit est conservé.',
    stopByInterrupt:
      'Le noyau ne répond pas pendant que cette cellule s’exécute. Arrêtez avec le bouton d’interruption (■).',
    notConnected: 'Pas de connexion au noyau\u00a0: cette carte montre le dernier état connu.',
    notLive: 'Enregistrée pendant l’exécution, qui n’a pas continué depuis.',
    comma: ', ',
    colon: '\u00a0: ',
    seconds: text => `${text}\u00a0s`,
    thousands: text => `${text}\u00a0k`,
    millions: text => `${text}\u00a0M`,
    stateCount: (count, word) => `${word}\u00a0: ${count}`,
    tokens: text => `${text} tokens`,
    tokensOf: (text, limit) => `${text} sur ${limit} tokens`,
    atLeast: text => `≥ ${text}`,
    usageUnknown: 'usage inconnu',
    costUnknown: 'coût inconnu',
    costUnknownWhy: 'Le prix d’au moins un appel de modèle n’est pas connu.',
    unmeasured: calls => `${one(calls, 'appel n’a', 'appels n’ont')} pas indiqué d’usage.`,
    elapsed: 'temps écoulé',
    references: 'Références',
    missing: 'manquant',
    cut: 'coupé',
    question: 'Attend votre réponse',
    asks: (role, effect) => `${role} veut ${effect}`,
    wantsTo: effect => ` veut ${effect}\u00a0: `,
    plots: 'Graphiques',
    asksAloud: (role, effect, action) => `Attend votre réponse\u00a0: ${role} veut ${effect}\u00a0: ${action}`,
    exactText: 'Ce qui serait fait, exactement',
    approve: 'Approuver',
    deny: 'Refuser',
    approveSame: 'Idem pour toute l’exécution',
    approveSameHint: 'Approuve cet appel, et le même exactement s’il revient pendant cette exécution.',
    showAll: 'Tout afficher',
    showAllFirst: 'Pour approuver, faites d’abord «\u00a0Tout afficher\u00a0».',
    hiddenChars: count =>
      one(
        count,
        'caractère invisible, montré par un repère.',
        'caractères invisibles, montrés par des repères.'
      ),
    askedBecause: reason => `Demandé car\u00a0: ${reason}`,
    modelSaid: 'Dans les mots du modèle, sans vérification',
    grants: 'Autorisé pour cette exécution',
    grantUses: count => one(count, 'exécution de plus', 'exécutions de plus'),
    revoke: 'Retirer',
    revokeOf: action => `Retirer\u00a0: ${action}`,
    revokeHint: 'Le prochain appel de ce genre demandera de nouveau.',
    deniedIn: time => `refusé d’office dans ${time}`,
    deniedNow: 'délai écoulé\u00a0: refusé',
    answerSent: decision => `${decision}\u00a0: envoyé`,
    answerElsewhere:
      'Répondez dans le champ de saisie sous la cellule\u00a0; cette page n’atteint pas le noyau pour l’instant.',
    missingFacts: 'Il manque\u00a0: ',
    answerInCell: 'Répondez dans une nouvelle cellule qui commence par %%braincode --continue.',
    answer: 'Réponse',
    beingWritten: 'en cours d’écriture',
    answerCut: (shown, whole) =>
      `Les ${shown} derniers caractères sur ${whole}. Le texte entier est dans run.answer.`,
    answerLong: (shown, whole) =>
      `Les ${shown} premiers caractères sur ${whole}. Le texte entier est dans run.answer.`,
    changes: 'Modifications',
    changedFiles: (files, added, removed) => `${one(files, 'fichier', 'fichiers')}, +${added} −${removed}`,
    byCommand: 'par une commande',
    mended: (times, isForChecks) =>
      `${one(times, 'correction', 'corrections')}, ${
        isForChecks ? 'des vérifications ayant échoué' : 'la relecture ayant demandé des modifications'
      }`,
    checkOutput: name => `Sortie de ${name}`,
    review: 'Relecture',
    because: (word, reason) => (reason ? `${word}\u00a0: ${reason}` : word),
    requiredChange: 'À modifier\u00a0: ',
    blocking: 'Bloque\u00a0: ',
    residual: 'Risque restant\u00a0: ',
    plan: 'Plan',
    done: (done, all) => `${done} sur ${all}`,
    needs: numbers => `dépend de ${numbers}`,
    troubled: (word, title) => `${word}\u00a0: ${title}`,
    time: 'Temps',
    critical: names => `chemin critique\u00a0: ${names}`,
    barOf: (name, state, time) => `${name}\u00a0: ${state}${time ? `, ${time}` : ''}`,
    workers: 'Agents',
    otherCalls: 'Autres appels',
    waitingFor: what => `attend ${what}`,
    risk: 'Risque\u00a0: ',
    open: 'Reste à voir\u00a0: ',
    artifacts: 'Artefacts\u00a0: ',
    tools: 'Appels d’outils',
    charsBack: text => `${text} caractères reçus`,
    plotLarge: 'Taille réelle',
    plotSmall: 'Ajuster',
    plotSave: 'Enregistrer',
    plotTool: (tool, label) => `${tool}\u00a0: ${label}`,
    plotBroken: label => `graphique\u00a0: ${label} (impossible à afficher)`,
    attempts: 'Tentatives échouées',
    attempt: (index, model, code, message) =>
      `${index}. ${model}\u00a0: ${code.replaceAll('_', ' ')}${message ? ` · ${message}` : ''}`,
    retry: 'Relancer',
    retryOf: role => `Relancer\u00a0: ${role}`,
    retryHint: 'Redonne la même tâche à cet agent\u00a0; ce que les autres ont trouvé est conservé.',
    retryAsked: 'relance demandée',
    retryWith: 'Pour le relancer\u00a0: ',
    retryLine: target => `%braincode retry ${target}`,
    keptResult: 'conservé de l’exécution précédente',
    retryLater: 'Peut être relancé dès que cette exécution sera terminée.',
    retried: times => `relancé, essai ${times + 1}`,
    partial: 'Texte avant l’interruption',
    live: 'Réponse en cours',
    saw: (who, tokens) => `Ce que ${who} a vu · ${tokens} tokens`,
    offered: (names, tokens) => `Outils : ${names} · ${tokens} tokens`,
    thisWorker: 'cet agent',
    thisCall: 'cet appel',
    withheld: 'Non transmis',
    matrix: 'Qui a vu quoi',
    matrixSize: (rows, columns) =>
      `${one(rows, 'appel', 'appels')} × ${one(columns, 'section', 'sections')}`,
    legend: '● vu, sien\u00a0: son propre texte, · non vu, vide\u00a0: non appelé',
    beingPlanned: 'planification',
    noWorker: 'aucun\u00a0: un seul agent a répondu',
    noneRan: 'aucun n’a tourné',
    warnings: 'Avertissements',
    request: 'Demande d’origine',
    model: 'Modèle',
    brain: 'Brain',
    session: 'session',
    copy: 'copier',
    copied: 'copié',
    copyFailed: 'sélectionnez et copiez',
    copySession: id => `Copier ${id}`,
    code: 'Code',
    copyCode: 'Copier',
    insertBelow: 'Insérer dessous',
    notSaved: 'Cette exécution n’a pas pu être écrite sur le disque.',
    more: rest => `… et ${rest} de plus`,
    drawFailed: 'La carte n’a pas pu être dessinée\u00a0; voici son texte.',
    notARun: 'Cette sortie n’est pas une exécution que cette version sait dessiner.',
    palette: 'Braincode',
    insertRun: 'Insérer une cellule Brain dessous',
    insertRunHint: 'Insère une cellule qui interroge plusieurs agents'
  }
};
