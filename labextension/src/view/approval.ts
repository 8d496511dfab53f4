/**
 * What needs the reader's answer before a tool call goes on.
 *
 * Nothing is approved by accident: the focus never moves here by itself, Deny comes first in the tab
 * order, and text that was cut or hides characters has to be shown whole before it can be approved.
 */

import type { ApprovalView, RunView } from '../protocol/generated';
import type { Actions, Decision } from './actions';
import { KeyedList, button, h, setAttribute, setGroup, setHidden, setText, setTextOrHide } from './elements';
import type { Part } from './elements';
import { drawExact } from './exact';
import { clock } from './figures';
import { isGoing } from './header';
import type { Moment } from './moment';
import { section } from './section';
import { EFFECTS, WORDS, spoken } from '../words/catalogue';

/** After this time an answer that changed nothing may be given again. */
const AGAIN_MS = 5_000;

export type Approvals = {
  readonly el: HTMLElement;
  update(view: RunView, moment: Moment): void;
  tick(view: RunView, moment: Moment): void;
};

type Item = { readonly approval: ApprovalView; readonly canAnswer: boolean; readonly leftMs: number };

export function approvals(actions: Actions): Approvals {
  const part = section('approvals');
  part.setTitle(WORDS.question);
  const list = new KeyedList<Item>(
    part.body,
    item => item.approval.approvalId,
    item => new Question(actions, item.approval)
  );
  const draw = (view: RunView, moment: Moment): void => {
    const waiting = isGoing(view) ? view.approvals : [];
    const hadFocus = part.body.contains(document.activeElement);
    part.show(waiting.length > 0);
    list.update(
      waiting.map(approval => ({
        approval,
        canAnswer: actions.canAnswer?.(approval.approvalId) ?? false,
        leftMs: approval.deadlineMs - moment.now()
      }))
    );
    if (hadFocus && !part.body.contains(document.activeElement)) {
      part.body.querySelector<HTMLButtonElement>('.bc-deny:not(:disabled)')?.focus();
    }
  };
  return {
    el: part.el,
    update: draw,
    tick: (view, moment) => {
      if (view.approvals.length > 0) {
        draw(view, moment);
      }
    }
  };
}

/** One question. */
class Question implements Part<Item> {
  readonly el: HTMLElement;
  private readonly text = h('pre', 'bc-exact');
  private readonly hidden = h('p', 'bc-is-warn');
  private readonly reason = h('p', 'bc-dim');
  private readonly said = h('p', 'bc-said');
  private readonly note = h('p', 'bc-dim');
  private readonly left = h('span', 'bc-num');
  private readonly deny: HTMLButtonElement;
  private readonly approve: HTMLButtonElement;
  private readonly same: HTMLButtonElement;
  private readonly showAll: HTMLButtonElement;
  private readonly needsAll: boolean;
  private isAllShown = false;
  private sent: string | undefined;
  private sentAtMs = 0;
  private latest: Item | undefined;

  constructor(
    private readonly actions: Actions,
    private readonly asked: ApprovalView
  ) {
    this.needsAll = asked.whole !== '' || asked.hiddenChars > 0;
    this.deny = this.choice('deny', WORDS.deny);
    this.approve = this.choice('approve', WORDS.approve);
    this.same = this.choice('approve_same', WORDS.approveSame);
    this.same.title = WORDS.approveSameHint;
    this.showAll = button(WORDS.showAll, 'bc-button', () => this.reveal());
    setHidden(this.showAll, !this.needsAll);
    this.text.tabIndex = 0;
    setGroup(this.text, WORDS.exactText);
    const action = h('code', 'bc-action', asked.action);
    const who = h('b', '', asked.role);
    const claim = h('p', 'bc-claim', who, WORDS.wantsTo({ effect: EFFECTS[asked.effect] }), action);
    const buttons = h('div', 'bc-buttons', this.deny, this.approve, this.same, this.left);
    this.el = h('div', 'bc-asked', claim, this.text, this.showAll, this.hidden);
    this.el.append(this.reason, this.said, buttons, this.note);
    this.el.tabIndex = -1;
    setGroup(this.el, WORDS.asks({ role: asked.role, effect: EFFECTS[asked.effect] }));
    this.drawText();
  }

  update(item: Item): void {
    this.latest = item;
    if (Date.now() - this.sentAtMs > AGAIN_MS) {
      this.sent = undefined;
    }
    const { approval, canAnswer, leftMs } = item;
    setTextOrHide(this.hidden, approval.hiddenChars ? WORDS.hiddenChars({ count: approval.hiddenChars }) : '');
    const reason = spoken(approval.reason);
    setTextOrHide(this.reason, reason && WORDS.askedBecause({ reason }));
    const { modelWords } = approval;
    setTextOrHide(this.said, modelWords && `${WORDS.modelSaid}${WORDS.colon}${modelWords}`);
    setText(this.left, leftMs > 0 ? WORDS.deniedIn({ time: clock(leftMs) }) : WORDS.deniedNow);
    const isOpen = canAnswer && this.sent === undefined;
    const mayApprove = isOpen && (this.isAllShown || !this.needsAll);
    this.deny.disabled = !isOpen;
    this.approve.disabled = !mayApprove;
    this.same.disabled = !mayApprove;
    setAttribute(this.approve, 'title', isOpen && !mayApprove ? WORDS.showAllFirst : null);
    setTextOrHide(this.note, this.noteText(isOpen, mayApprove));
  }

  private noteText(isOpen: boolean, mayApprove: boolean): string {
    if (this.sent !== undefined) {
      return WORDS.answerSent({ decision: this.sent });
    }
    if (!isOpen) {
      return WORDS.answerElsewhere;
    }
    return mayApprove ? '' : WORDS.showAllFirst;
  }

  private choice(decision: Decision, label: string): HTMLButtonElement {
    return button(label, `bc-button bc-${decision.replace('_', '-')}`, () => {
      if (this.sent === undefined && this.actions.answer?.(this.asked, decision)) {
        this.sent = label;
        this.sentAtMs = Date.now();
        // A disabled button loses the focus, and the reader his place.
        this.el.focus({ preventScroll: true });
        this.redraw();
      }
    });
  }

  private reveal(): void {
    this.isAllShown = true;
    setHidden(this.showAll, true);
    this.drawText();
    this.redraw();
    this.text.focus();
  }

  private redraw(): void {
    if (this.latest) {
      this.update(this.latest);
    }
  }

  private drawText(): void {
    const { shown, whole, isDiff } = this.asked;
    drawExact(this.text, this.isAllShown && whole ? whole : shown, isDiff);
  }
}
