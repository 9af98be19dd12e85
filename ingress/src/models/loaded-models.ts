import { type Allowlist, enabledModels, type ModelSelection } from "@faceline/accounts/models/allowlist";
import type { ModelCard } from "@faceline/contracts/http/model-card";
import { SettingsError } from "@faceline/runtime/config";
import type { Catalogue } from "@faceline/models/catalogue";
import type { DetectorModel } from "@faceline/models/catalogue-entry";
import type { Recogniser } from "@faceline/models/model-pair";
import { modelVersionOf } from "@faceline/models/model-version";
import { EnabledModels } from "./enabled-models.ts";

/**
 * The models and detectors of the settings, and which of them are enabled now. Operators change that while
 * calls run, so a call reads `enabled` once.
 */
export class LoadedModels {
  /** Models and detectors that the settings name, with their defaults. */
  readonly loaded: ModelSelection;
  readonly embeddingModels: Recogniser[];
  readonly detectors: DetectorModel[];
  /** Every pair of a model and a detector, enabled or not. */
  readonly lanes: ReadonlySet<string>;
  /** Numbers of the longest vector that one of the models has, enabled or not. */
  readonly vectorLengthMax: number;
  readonly #catalogue: Catalogue;
  #enabled: EnabledModels;

  /** Throws a SettingsError that lists every name of the settings that is not in the catalogue. */
  constructor(catalogue: Catalogue, settings: ModelSettings) {
    const { MODELS, MODEL_DEFAULT, DETECTORS, DETECTOR_DEFAULT } = settings;
    const unknown = [
      ...MODELS.filter((name) => catalogue.recogniser(name) === undefined).map(
        (name) => `MODELS: the catalogue has no ${name}`,
      ),
      ...DETECTORS.filter((name) => catalogue.find("detector", name) === undefined).map(
        (name) => `DETECTORS: the catalogue has no ${name}`,
      ),
    ];
    if (unknown.length > 0) throw new SettingsError(unknown);
    this.#catalogue = catalogue;
    this.loaded = {
      models: { names: MODELS, default: MODEL_DEFAULT },
      detectors: { names: DETECTORS, default: DETECTOR_DEFAULT },
    };
    this.embeddingModels = MODELS.map((name) => catalogue.recogniser(name)!);
    this.detectors = DETECTORS.map((name) => catalogue.find("detector", name)!);
    this.#enabled = new EnabledModels(this, this.loaded);
    this.lanes = this.#enabled.lanes;
    this.vectorLengthMax = this.#enabled.vectorLengthMax;
  }

  /** Models that are enabled now: another object after each change. */
  get enabled(): EnabledModels {
    return this.#enabled;
  }

  /**
   * Enables what the record says, or without one what the settings say. Returns a sentence for each part of
   * the record that does not fit what is loaded.
   */
  follow(allowlist: Allowlist | undefined): string[] {
    const { enabled, ignored } = enabledModels(this.loaded, allowlist);
    this.#enabled = new EnabledModels(this, enabled);
    return ignored;
  }

  /** What was measured here of models and detectors, by their names. */
  get cards(): ReadonlyMap<string, ModelCard> {
    return this.#catalogue.cards;
  }

  /** The version of a model by the catalogue of this process: another build may run another one. */
  catalogueVersionOf(model: Recogniser): string {
    return modelVersionOf(model, this.#catalogue.find("landmarks", model.landmarks)!);
  }
}

type ModelSettings = {
  MODELS: string[];
  MODEL_DEFAULT: string;
  DETECTORS: string[];
  DETECTOR_DEFAULT: string;
};
