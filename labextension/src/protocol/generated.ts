// Made by labextension/scripts/generate_types.py from the models of braincode_jupyter/views.
// Never edited by hand.

/** One agent: router, worker, primary or reviewer. */
export type AgentView = {
  /** Context id. */
  readonly contextId: string;
  /** Kind of call. */
  readonly kind: 'router' | 'worker' | 'primary' | 'review';
  /** Role. */
  readonly role: string;
  /** State. */
  readonly state: 'queued' | 'waiting' | 'running' | 'waiting_for_approval' | 'completed' | 'unstructured' | 'blocked' | 'failed' | 'cancelled' | 'cut_off' | 'interrupted';
  /** What it waits for, in words. */
  readonly waitingFor?: Said;
  /** What it is to do. */
  readonly goal: Said;
  /** Model that answers. */
  readonly modelId?: string;
  /** When it was planned. */
  readonly queuedMs?: number;
  /** When its first model call began. */
  readonly startedMs?: number;
  /** When it came to its final state. */
  readonly endedMs?: number;
  /** On the critical path. */
  readonly isCritical: boolean;
  /** What it spent, failed attempts included. */
  readonly usage: UsageView;
  /** The call that was counted last; its reply and its tokens come in either order. */
  readonly lastCallId: string;
  /** Findings. */
  readonly summary: string;
  /** Findings, formatted. */
  readonly summaryBlocks: readonly Block[];
  /** Artifacts. */
  readonly artifacts: readonly ArtifactView[];
  /** Tool calls, oldest first. */
  readonly toolCalls: readonly ToolCallView[];
  /** Risks. */
  readonly risks: readonly string[];
  /** Open questions. */
  readonly nextQuestions: readonly string[];
  /** Why it failed or is blocked, in words. */
  readonly reason?: Said;
  /** What to do about it. */
  readonly hint?: Said;
  /** Text of a call that broke off. */
  readonly partial: string;
  /** Todos it owns. */
  readonly todoIds: readonly string[];
  /** Context ids of declared upstream workers. */
  readonly upstream: readonly string[];
  /** Failed attempts. */
  readonly attempts: readonly AttemptView[];
  /** Named by the plan; others were called by the primary. */
  readonly isPlanned: boolean;
  /** How often it was taken up again. */
  readonly retries: number;
  /** Its result was found by an earlier run, which this one goes on from. */
  readonly isKept: boolean;
  /** Whether it can be taken up again now. */
  readonly canRetry: boolean;
  /** What it was given. */
  readonly saw: readonly SectionView[];
  /** What existed and was kept from it. */
  readonly withheld: readonly SectionView[];
  /** Tools that it was offered. */
  readonly tools: readonly OfferedToolView[];
};

/** The answer. */
export type AnswerView = {
  /** State. */
  readonly state: 'none' | 'streaming' | 'completed' | 'cut_off' | 'partial';
  /** Markdown as the model wrote it. */
  readonly text: string;
  /** The same, parsed; empty while streaming. */
  readonly blocks: readonly Block[];
};

/** A tool call that waits for the reader. */
export type ApprovalView = {
  /** Id; a page answers with it and a nonce that is no part of a view. */
  readonly approvalId: string;
  /** Agent that asks. */
  readonly contextId: string;
  /** Its role. */
  readonly role: string;
  /** Tool. */
  readonly tool: string;
  /** What it can do. */
  readonly effect: 'read' | 'write' | 'execute';
  /** One line in the host's words. */
  readonly action: string;
  /** Command, code or diff; head and tail if it is long, marks for what is hidden. */
  readonly shown: string;
  /** All of it, where `shown` is not. */
  readonly whole: string;
  /** Whether it is a unified diff. */
  readonly isDiff: boolean;
  /** Characters shown as marks; such a text is approved after "show all" alone. */
  readonly hiddenChars: number;
  /** Which rule asks. */
  readonly reason: Said;
  /** What the model said of it; never part of the action. */
  readonly modelWords: string;
  /** When it is denied by itself. */
  readonly deadlineMs: number;
  /** Digest of all that an approval binds; a page answers with it. */
  readonly boundSha256: string;
};

/** Something a worker made or points at. */
export type ArtifactView = {
  /** file, thread, summary or artifact. */
  readonly kind: string;
  /** Where. */
  readonly uri: string;
  /** Short name. */
  readonly label: string;
  /** Media type of a plot or a table. */
  readonly mediaType?: string;
};

/** A failed attempt. */
export type AttemptView = {
  /** Candidate, from 1. */
  readonly attempt: number;
  /** How often the agent had been taken up again. */
  readonly retry: number;
  /** Model. */
  readonly modelId: string;
  /** Reason code, or the state that the attempt came to. */
  readonly code: string;
  /** Provider's words, redacted. */
  readonly message: Said;
  /** Tokens that it spent all the same, if the provider told. */
  readonly tokens?: number;
};

/** One block of formatted text. */
export type Block = {
  /** What it is. */
  readonly kind: 'paragraph' | 'heading' | 'list' | 'item' | 'code' | 'quote' | 'table' | 'row' | 'cell' | 'rule' | 'note';
  /** Inline text, for paragraph, heading and cell. */
  readonly spans: readonly Span[];
  /** Nested blocks, for list, item, quote, table and row. */
  readonly children: readonly Block[];
  /** Verbatim text, for code. */
  readonly text: string;
  /** For code: the word after the fence. */
  readonly language: string;
  /** For heading: 1 to 6. */
  readonly level: number;
  /** For list. */
  readonly ordered: boolean;
  /** For ordered list: the number of its first item. */
  readonly start: number;
  /** For row. */
  readonly header: boolean;
  /** For cell: as the author of the table said. */
  readonly align: '' | 'left' | 'center' | 'right';
  /** For note: what we say of the text. */
  readonly note?: Sentence;
};

/** One changed file. */
export type ChangedFileView = {
  /** Relative to the project. */
  readonly path: string;
  /** What became of it. */
  readonly state: 'new' | 'changed' | 'removed';
  /** Lines added, if they were counted. */
  readonly added?: number;
  /** Lines taken away, if they were counted. */
  readonly removed?: number;
  /** A command changed it, not an edit tool. */
  readonly isByCommand: boolean;
};

/** What a run changed in the project. */
export type ChangesView = {
  /** Changed files, by path. */
  readonly files: readonly ChangedFileView[];
  /** Files beyond those. */
  readonly moreFiles: number;
  /** Lines added in all. */
  readonly added: number;
  /** Lines taken away in all. */
  readonly removed: number;
  /** Kind of change: ``backend``, ``docs-only``. */
  readonly kind: string;
  /** low, medium, high or critical, once it was reviewed. */
  readonly riskTier: string;
  /** What the checks say together. */
  readonly checksState: 'none' | 'running' | 'passed' | 'failed' | 'skipped';
  /** Why they were chosen or skipped. */
  readonly checksReason: Said;
  /** Each check, in the order in which they ran. */
  readonly checks: readonly CheckView[];
  /** Rounds of mending that were begun. */
  readonly fixIteration: number;
  /** Why the last one was. */
  readonly fixTrigger: '' | 'checks_failed' | 'changes_requested';
};

/** One check of the project. */
export type CheckView = {
  /** Script or command. */
  readonly name: string;
  /** The exact words that ran. */
  readonly command: string;
  /** How it ended. */
  readonly state: 'passed' | 'failed' | 'timed_out';
  /** Exit status, if it came to one. */
  readonly exitCode?: number;
  /** How long it took. */
  readonly durationMs: number;
  /** End of what it wrote, output and errors. */
  readonly output: string;
};

/** A question to the user. */
export type ClarificationView = {
  /** The question. */
  readonly question: Said;
  /** Why. */
  readonly reason: Said;
  /** What is missing. */
  readonly missing: readonly Said[];
  /** Label and description of each option. */
  readonly options: readonly (readonly [Said, Said])[];
};

/** One column of a table. */
export type ColumnView = {
  /** Its name. */
  readonly name: string;
  /** Whether its values are numbers, which stand at the right. */
  readonly isNumber: boolean;
};

/** One finding of the review. */
export type FindingView = {
  /** low, medium or high. */
  readonly severity: string;
  /** The issue. */
  readonly text: Said;
  /** File and line. */
  readonly place: string;
  /** What shows it. */
  readonly evidence: string;
  /** What could be done. */
  readonly suggestion: string;
};

/** A call that the reader allowed for the rest of the run. */
export type GrantView = {
  /** Names the grant; a page revokes it so. */
  readonly approvalId: string;
  /** Who had asked. */
  readonly role: string;
  /** Tool. */
  readonly tool: string;
  /** What it can do. */
  readonly effect: 'read' | 'write' | 'execute';
  /** One line in the host's words. */
  readonly action: string;
  /** Command, code or diff, as an approval shows it. */
  readonly shown: string;
  /** Whether it is a unified diff. */
  readonly isDiff: boolean;
  /** Calls that ran by it, after the first. */
  readonly uses: number;
};

/** One column of the matrix: a section that exists in this run. */
export type MatrixColumn = {
  /** Unique key: ``kind:context id`` where it is text of one agent. */
  readonly key: string;
  /** Its own name; empty where kind and owner say what it is. */
  readonly label: string;
  /** Section kind. */
  readonly kind: string;
  /** Role name of an agent; empty for the others. */
  readonly ownerLabel: string;
};

/** One row of the matrix: an agent. */
export type MatrixRow = {
  /** Context id. */
  readonly contextId: string;
  /** Role. */
  readonly label: string;
  /** One per column. */
  readonly cells: readonly ('seen' | 'own' | 'withheld' | 'not_called')[];
};

/** Who saw what, from the prompt manifests. */
export type MatrixView = {
  /** Sections. */
  readonly columns: readonly MatrixColumn[];
  /** Agents. */
  readonly rows: readonly MatrixRow[];
};

/** One tool that an agent could use. */
export type OfferedToolView = {
  /** Name as the model uses it. */
  readonly name: string;
  /** Estimated tokens that it adds to each request. */
  readonly tokens: number;
};

/** An image that a tool made; artifacts name it by its uri. */
export type PlotView = {
  /** Where it is. */
  readonly uri: string;
  /** Short name. */
  readonly label: string;
  /** What it is. */
  readonly mediaType: 'image/png' | 'image/jpeg';
  /** Base64. */
  readonly data: string;
};

/** One reference of the request. */
export type ReferenceView = {
  /** As typed. */
  readonly token: string;
  /** file, image, session, cell, output or variable. */
  readonly kind: string;
  /** What came of it. */
  readonly state: 'sent' | 'cut' | 'missing';
  /** What was sent. */
  readonly label: Said;
  /** Why it is missing, or what was cut. */
  readonly reason?: Said;
  /** Where it is; joins it with the sections of a prompt. */
  readonly uri: string;
};

/** The review. */
export type ReviewView = {
  /** State. */
  readonly state: 'not_required' | 'pending' | 'running' | 'approved' | 'changes_requested' | 'blocked' | 'not_reviewed';
  /** Why it is not required or not reviewed. */
  readonly reason: Said;
  /** The reviewer's words. */
  readonly rationale: string;
  /** Findings. */
  readonly findings: readonly FindingView[];
  /** What must change. */
  readonly requiredChanges: readonly Said[];
  /** What blocks. */
  readonly blockingIssues: readonly string[];
  /** What stays uncertain. */
  readonly residualRisks: readonly Said[];
  /** none, weak, moderate or strong. */
  readonly independence: string;
};

/** Everything that is drawn of a run. */
export type RunView = {
  /** Version of this shape. */
  readonly version: 1;
  /** Session id. */
  readonly sessionId: string;
  /** Id of the run inside the session. */
  readonly runId: string;
  /** State. */
  readonly state: 'queued' | 'running' | 'completed' | 'needs_clarification' | 'failed' | 'cancelled' | 'interrupted';
  /** What is being done now. */
  readonly phase: 'starting' | 'routing' | 'working' | 'answering' | 'checking' | 'reviewing' | 'done';
  /** Stop was asked for. */
  readonly isStopping: boolean;
  /** First line of the request. */
  readonly title: string;
  /** The request as typed, at most 4,000 characters. */
  readonly request: string;
  /** Brain preset. */
  readonly brainId: string;
  /** auto or radical. */
  readonly mode: string;
  /** Who planned, in words: ``routed 0.82``, ``heuristic``. */
  readonly routing: Said;
  /** Why. */
  readonly routingReason: Said;
  /** Start. */
  readonly startedMs: number;
  /** End; None while running. */
  readonly endedMs?: number;
  /** What the run spent. */
  readonly usage: UsageView;
  /** Token budget. */
  readonly maxTokens?: number;
  /** Cost budget; US dollars. */
  readonly maxCostUsd?: number;
  /** Names of the models that answered. */
  readonly models: readonly string[];
  /** Said plainly when the embedded demo model answered. */
  readonly modelNote: Said;
  /** References. */
  readonly references: readonly ReferenceView[];
  /** A question, when the run stopped for one. */
  readonly clarification?: ClarificationView;
  /**  */
  readonly answer: AnswerView;
  /** What was changed in the project. */
  readonly changes: ChangesView;
  /**  */
  readonly review: ReviewView;
  /** Todos. */
  readonly todos: readonly TodoView[];
  /** Router, workers in plan order, primary, review. */
  readonly agents: readonly AgentView[];
  /** Tool calls that wait for the reader, oldest first. */
  readonly approvals: readonly ApprovalView[];
  /** Calls that are allowed for the rest of the run, oldest first. */
  readonly grants: readonly GrantView[];
  /** Images that tools made, oldest first. */
  readonly plots: readonly PlotView[];
  /** Tables that tools made, oldest first. */
  readonly tables: readonly TableView[];
  /** Who saw what. */
  readonly matrix: MatrixView;
  /** What the user should know. */
  readonly warnings: readonly Said[];
  /** Where its model calls were recorded. */
  readonly recorded: Said;
  /** Why the run failed. */
  readonly error?: Said;
  /** What to do. */
  readonly hint?: Said;
  /** False when the journal could not be written. */
  readonly isSaved: boolean;
};

/** One section that an agent saw, or that was withheld from it. */
export type SectionView = {
  /** Section kind. */
  readonly kind: string;
  /** Whose it is: ``user``, ``brain``, ``project`` or a context id. */
  readonly owner: string;
  /** Role name of an agent; empty for the others. */
  readonly ownerLabel: string;
  /** Where it came from. */
  readonly source: string;
  /** Its own name, ``@var:sales``; empty where kind and owner say what it is. */
  readonly label: string;
  /** Characters. */
  readonly chars: number;
  /** Estimated tokens. */
  readonly tokens: number;
  /** Share of the prompt, 0 to 1. */
  readonly share: number;
  /** Why it was withheld: ``private``, ``no edge``, ``not for this call``; said in words. */
  readonly reason?: string;
};

/** Rows of one answer, newest first. */
export type SessionPage = {
  /** Sessions. */
  readonly rows: readonly SessionRow[];
  /** Where to go on; None at the end. */
  readonly nextStart?: number;
  /** Sessions that were passed so far, shown or not. */
  readonly lookedAt: number;
  /** Sessions that there are. */
  readonly total: number;
};

/** One session of the panel. */
export type SessionRow = {
  /** Full id. */
  readonly sessionId: string;
  /** Beginning of its first request, on one line. */
  readonly prompt: string;
  /** State of its last run. */
  readonly state: 'queued' | 'running' | 'completed' | 'needs_clarification' | 'failed' | 'cancelled' | 'interrupted';
  /** Last change of its file. */
  readonly updatedMs: number;
  /** Brain preset. */
  readonly brainId: string;
  /** Models that answered in any of its runs. */
  readonly models: readonly string[];
  /** What all its runs spent. */
  readonly tokens: number;
  /** The same in money; None when any price is unknown. */
  readonly costUsd?: number;
};

/** A run of inline text. */
export type Span = {
  /** Plain text. */
  readonly text: string;
  /** Bold. */
  readonly strong: boolean;
  /** Italic. */
  readonly emphasis: boolean;
  /** Monospace. */
  readonly code: boolean;
  /** http, https or mailto only. */
  readonly href?: string;
};

/** A table that a tool made; artifacts name it by its uri. */
export type TableView = {
  /** Where it is. */
  readonly uri: string;
  /** Its name in `Run.artifacts`. */
  readonly name: string;
  /** Rows of the whole table; None if nobody counted them. */
  readonly rows?: number;
  /** Columns of the whole table. */
  readonly columns: number;
  /** Rows that the session file keeps. */
  readonly keptRows: number;
  /** Size of what it keeps, as CSV in UTF-8. */
  readonly sizeBytes: number;
  /** Columns that are drawn. */
  readonly heads: readonly ColumnView[];
  /** Rows that are drawn, one text for each of `heads`. */
  readonly cells: readonly (readonly string[])[];
  /** All that is kept, to be copied; empty if it is too long for a card. */
  readonly csv: string;
  /** Python that gives it back as a frame. */
  readonly code: string;
};

/** One todo. */
export type TodoView = {
  /** Slug. */
  readonly id: string;
  /** What is to be done. */
  readonly title: Said;
  /** Owner. */
  readonly role: string;
  /** State. */
  readonly state: 'pending' | 'running' | 'completed' | 'blocked' | 'failed';
  /** Ids of upstream todos. */
  readonly needs: readonly string[];
  /** Their positions in the list, from 1. */
  readonly needsNumbers: readonly number[];
  /** What came of it. */
  readonly summary?: Said;
};

/** One tool call of an agent. */
export type ToolCallView = {
  /** Id of the call, unique within a turn of the agent. */
  readonly callId: string;
  /** Tool. */
  readonly name: string;
  /** What it does, in the host's words. */
  readonly action: string;
  /** State; ``outcome_unknown`` began and was never told to have ended. */
  readonly state: 'running' | 'done' | 'failed' | 'denied' | 'outcome_unknown';
  /** What it said last of itself, while it runs. */
  readonly progress: string;
  /** Characters that the agent got back. */
  readonly chars?: number;
  /** How code was kept from the machine, as the tool told. */
  readonly isolation: Said;
  /** Who allowed or denied it, in words. */
  readonly approver: Said;
  /** Why it was denied or refused, or how it ended unfinished. */
  readonly reason: Said;
};

/** What was spent. */
export type UsageView = {
  /** Tokens sent. */
  readonly inputTokens: number;
  /** Tokens received. */
  readonly outputTokens: number;
  /** Both. */
  readonly totalTokens: number;
  /** Model calls, failed ones included. */
  readonly calls: number;
  /** Calls whose usage the provider did not tell. */
  readonly unmeasuredCalls: number;
  /** None when any price is unknown. */
  readonly costUsd?: number;
  /** Calls that came from a recording: their tokens and price were spent then, not now. */
  readonly replayedCalls: number;
};

/** A text of the catalogue, and what stands in its places. */
export type Sentence = {
  readonly key: string;
  readonly values: Readonly<Record<string, string | number | Sentence>>;
  /** What a record says, for a reader who does not know the key. */
  readonly english?: string;
};
/** A text from outside as it came, or a sentence of ours. */
export type Said = string | Sentence;

/** How a field is read: see read.ts. */
export type Shape =
  | readonly ['string', string?]
  | readonly ['said']
  | readonly ['number', number?]
  | readonly ['boolean', boolean]
  | readonly ['enum', string, readonly string[]]
  | readonly ['array', Shape]
  | readonly ['tuple', readonly Shape[]]
  | readonly ['object', string]
  | readonly ['optional', Shape];

export const SHAPES: Readonly<Record<string, Readonly<Record<string, Shape>>>> = {
  AgentView: {
    contextId: ["string"],
    kind: ["enum", "router", ["router", "worker", "primary", "review"]],
    role: ["string"],
    state: ["enum", "queued", ["queued", "waiting", "running", "waiting_for_approval", "completed", "unstructured", "blocked", "failed", "cancelled", "cut_off", "interrupted"]],
    waitingFor: ["optional", ["said"]],
    goal: ["said"],
    modelId: ["optional", ["string"]],
    queuedMs: ["optional", ["number"]],
    startedMs: ["optional", ["number"]],
    endedMs: ["optional", ["number"]],
    isCritical: ["boolean", false],
    usage: ["object", "UsageView"],
    lastCallId: ["string"],
    summary: ["string"],
    summaryBlocks: ["array", ["object", "Block"]],
    artifacts: ["array", ["object", "ArtifactView"]],
    toolCalls: ["array", ["object", "ToolCallView"]],
    risks: ["array", ["string"]],
    nextQuestions: ["array", ["string"]],
    reason: ["optional", ["said"]],
    hint: ["optional", ["said"]],
    partial: ["string"],
    todoIds: ["array", ["string"]],
    upstream: ["array", ["string"]],
    attempts: ["array", ["object", "AttemptView"]],
    isPlanned: ["boolean", false],
    retries: ["number"],
    isKept: ["boolean", false],
    canRetry: ["boolean", false],
    saw: ["array", ["object", "SectionView"]],
    withheld: ["array", ["object", "SectionView"]],
    tools: ["array", ["object", "OfferedToolView"]]
  },
  AnswerView: {
    state: ["enum", "none", ["none", "streaming", "completed", "cut_off", "partial"]],
    text: ["string"],
    blocks: ["array", ["object", "Block"]]
  },
  ApprovalView: {
    approvalId: ["string"],
    contextId: ["string"],
    role: ["string"],
    tool: ["string"],
    effect: ["enum", "read", ["read", "write", "execute"]],
    action: ["string"],
    shown: ["string"],
    whole: ["string"],
    isDiff: ["boolean", false],
    hiddenChars: ["number"],
    reason: ["said"],
    modelWords: ["string"],
    deadlineMs: ["number"],
    boundSha256: ["string"]
  },
  ArtifactView: {
    kind: ["string"],
    uri: ["string"],
    label: ["string"],
    mediaType: ["optional", ["string"]]
  },
  AttemptView: {
    attempt: ["number"],
    retry: ["number"],
    modelId: ["string"],
    code: ["string"],
    message: ["said"],
    tokens: ["optional", ["number"]]
  },
  Block: {
    kind: ["enum", "paragraph", ["paragraph", "heading", "list", "item", "code", "quote", "table", "row", "cell", "rule", "note"]],
    spans: ["array", ["object", "Span"]],
    children: ["array", ["object", "Block"]],
    text: ["string"],
    language: ["string"],
    level: ["number"],
    ordered: ["boolean", false],
    start: ["number", 1],
    header: ["boolean", false],
    align: ["enum", "", ["", "left", "center", "right"]],
    note: ["optional", ["said"]]
  },
  ChangedFileView: {
    path: ["string"],
    state: ["enum", "new", ["new", "changed", "removed"]],
    added: ["optional", ["number"]],
    removed: ["optional", ["number"]],
    isByCommand: ["boolean", false]
  },
  ChangesView: {
    files: ["array", ["object", "ChangedFileView"]],
    moreFiles: ["number"],
    added: ["number"],
    removed: ["number"],
    kind: ["string"],
    riskTier: ["string"],
    checksState: ["enum", "none", ["none", "running", "passed", "failed", "skipped"]],
    checksReason: ["said"],
    checks: ["array", ["object", "CheckView"]],
    fixIteration: ["number"],
    fixTrigger: ["enum", "", ["", "checks_failed", "changes_requested"]]
  },
  CheckView: {
    name: ["string"],
    command: ["string"],
    state: ["enum", "passed", ["passed", "failed", "timed_out"]],
    exitCode: ["optional", ["number"]],
    durationMs: ["number"],
    output: ["string"]
  },
  ClarificationView: {
    question: ["said"],
    reason: ["said"],
    missing: ["array", ["said"]],
    options: ["array", ["tuple", [["said"], ["said"]]]]
  },
  ColumnView: {
    name: ["string"],
    isNumber: ["boolean", false]
  },
  FindingView: {
    severity: ["string"],
    text: ["said"],
    place: ["string"],
    evidence: ["string"],
    suggestion: ["string"]
  },
  GrantView: {
    approvalId: ["string"],
    role: ["string"],
    tool: ["string"],
    effect: ["enum", "read", ["read", "write", "execute"]],
    action: ["string"],
    shown: ["string"],
    isDiff: ["boolean", false],
    uses: ["number"]
  },
  MatrixColumn: {
    key: ["string"],
    label: ["string"],
    kind: ["string"],
    ownerLabel: ["string"]
  },
  MatrixRow: {
    contextId: ["string"],
    label: ["string"],
    cells: ["array", ["enum", "seen", ["seen", "own", "withheld", "not_called"]]]
  },
  MatrixView: {
    columns: ["array", ["object", "MatrixColumn"]],
    rows: ["array", ["object", "MatrixRow"]]
  },
  OfferedToolView: {
    name: ["string"],
    tokens: ["number"]
  },
  PlotView: {
    uri: ["string"],
    label: ["string"],
    mediaType: ["enum", "image/png", ["image/png", "image/jpeg"]],
    data: ["string"]
  },
  ReferenceView: {
    token: ["string"],
    kind: ["string"],
    state: ["enum", "sent", ["sent", "cut", "missing"]],
    label: ["said"],
    reason: ["optional", ["said"]],
    uri: ["string"]
  },
  ReviewView: {
    state: ["enum", "not_required", ["not_required", "pending", "running", "approved", "changes_requested", "blocked", "not_reviewed"]],
    reason: ["said"],
    rationale: ["string"],
    findings: ["array", ["object", "FindingView"]],
    requiredChanges: ["array", ["said"]],
    blockingIssues: ["array", ["string"]],
    residualRisks: ["array", ["said"]],
    independence: ["string"]
  },
  RunView: {
    version: ["number", 1],
    sessionId: ["string"],
    runId: ["string"],
    state: ["enum", "queued", ["queued", "running", "completed", "needs_clarification", "failed", "cancelled", "interrupted"]],
    phase: ["enum", "starting", ["starting", "routing", "working", "answering", "checking", "reviewing", "done"]],
    isStopping: ["boolean", false],
    title: ["string"],
    request: ["string"],
    brainId: ["string"],
    mode: ["string", "auto"],
    routing: ["said"],
    routingReason: ["said"],
    startedMs: ["number"],
    endedMs: ["optional", ["number"]],
    usage: ["object", "UsageView"],
    maxTokens: ["optional", ["number"]],
    maxCostUsd: ["optional", ["number"]],
    models: ["array", ["string"]],
    modelNote: ["said"],
    references: ["array", ["object", "ReferenceView"]],
    clarification: ["optional", ["object", "ClarificationView"]],
    answer: ["object", "AnswerView"],
    changes: ["object", "ChangesView"],
    review: ["object", "ReviewView"],
    todos: ["array", ["object", "TodoView"]],
    agents: ["array", ["object", "AgentView"]],
    approvals: ["array", ["object", "ApprovalView"]],
    grants: ["array", ["object", "GrantView"]],
    plots: ["array", ["object", "PlotView"]],
    tables: ["array", ["object", "TableView"]],
    matrix: ["object", "MatrixView"],
    warnings: ["array", ["said"]],
    recorded: ["said"],
    error: ["optional", ["said"]],
    hint: ["optional", ["said"]],
    isSaved: ["boolean", true]
  },
  SectionView: {
    kind: ["string"],
    owner: ["string"],
    ownerLabel: ["string"],
    source: ["string"],
    label: ["string"],
    chars: ["number"],
    tokens: ["number"],
    share: ["number"],
    reason: ["optional", ["string"]]
  },
  SessionPage: {
    rows: ["array", ["object", "SessionRow"]],
    nextStart: ["optional", ["number"]],
    lookedAt: ["number"],
    total: ["number"]
  },
  SessionRow: {
    sessionId: ["string"],
    prompt: ["string"],
    state: ["enum", "interrupted", ["queued", "running", "completed", "needs_clarification", "failed", "cancelled", "interrupted"]],
    updatedMs: ["number"],
    brainId: ["string"],
    models: ["array", ["string"]],
    tokens: ["number"],
    costUsd: ["optional", ["number"]]
  },
  Span: {
    text: ["string"],
    strong: ["boolean", false],
    emphasis: ["boolean", false],
    code: ["boolean", false],
    href: ["optional", ["string"]]
  },
  TableView: {
    uri: ["string"],
    name: ["string"],
    rows: ["optional", ["number"]],
    columns: ["number"],
    keptRows: ["number"],
    sizeBytes: ["number"],
    heads: ["array", ["object", "ColumnView"]],
    cells: ["array", ["array", ["string"]]],
    csv: ["string"],
    code: ["string"]
  },
  TodoView: {
    id: ["string"],
    title: ["said"],
    role: ["string"],
    state: ["enum", "pending", ["pending", "running", "completed", "blocked", "failed"]],
    needs: ["array", ["string"]],
    needsNumbers: ["array", ["number"]],
    summary: ["optional", ["said"]]
  },
  ToolCallView: {
    callId: ["string"],
    name: ["string"],
    action: ["string"],
    state: ["enum", "running", ["running", "done", "failed", "denied", "outcome_unknown"]],
    progress: ["string"],
    chars: ["optional", ["number"]],
    isolation: ["said"],
    approver: ["said"],
    reason: ["said"]
  },
  UsageView: {
    inputTokens: ["number"],
    outputTokens: ["number"],
    totalTokens: ["number"],
    calls: ["number"],
    unmeasuredCalls: ["number"],
    costUsd: ["optional", ["number"]],
    replayedCalls: ["number"]
  }
};
