/** What the user allows while typing; every other plugin of typing asks here. */

import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { Token } from '@lumino/coreutils';
import { Signal } from '@lumino/signaling';
import type { ISignal } from '@lumino/signaling';
import { EXTENSION } from './ids';

/** Names in `schema/typing.json`. */
export type TypingChoice = 'completion' | 'highlighting' | 'snapshots';

export interface ITypingSettings {
  /** Whether the user wants it; all of it until the settings are read. */
  isOn(choice: TypingChoice): boolean;
  readonly changed: ISignal<ITypingSettings, void>;
}

export const ITypingSettings = new Token<ITypingSettings>(`${EXTENSION}:ITypingSettings`);

const SETTINGS = `${EXTENSION}:typing`;

class TypingSettings implements ITypingSettings {
  private settings: ISettingRegistry.ISettings | undefined;
  private readonly signal = new Signal<ITypingSettings, void>(this);

  get changed(): ISignal<ITypingSettings, void> {
    return this.signal;
  }

  isOn(choice: TypingChoice): boolean {
    return this.settings?.composite[choice] !== false;
  }

  async load(registry: ISettingRegistry): Promise<void> {
    this.settings = await registry.load(SETTINGS);
    this.settings.changed.connect(() => this.signal.emit());
    this.signal.emit();
  }
}

const plugin: JupyterFrontEndPlugin<ITypingSettings> = {
  id: SETTINGS,
  description: 'Reads what the user allows while typing.',
  autoStart: true,
  provides: ITypingSettings,
  optional: [ISettingRegistry],
  activate: (_app: JupyterFrontEnd, registry: ISettingRegistry | null): ITypingSettings => {
    const settings = new TypingSettings();
    if (registry) {
      settings.load(registry).catch(reason => console.error('braincode: no settings', reason));
    }
    return settings;
  }
};

export default plugin;
