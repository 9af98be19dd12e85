import type { CapabilitiesResponse } from "@faceline/contracts/http/capabilities";
import type { DistanceMetric } from "@faceline/contracts/http/detection-fields";
import type { RateEvidence } from "../../tester/rarity.ts";
import {
  readSettings,
  readThreshold,
  type TesterCall,
  type TesterSettings,
  thresholdFault,
  writeSettings,
} from "../../tester/settings.ts";
import { cardView } from "./card-view.ts";
import { element, find } from "./element.ts";

/** The form of the settings. The address of the page holds what differs from the service's own choices. */
export class SettingsForm {
  readonly #form: HTMLFormElement;
  readonly #capabilities: CapabilitiesResponse;
  #call: TesterCall;

  /** `changed` runs after a valid change, with the name of its field. */
  constructor(form: HTMLFormElement, capabilities: CapabilitiesResponse, changed: (field: string) => void) {
    this.#form = form;
    this.#capabilities = capabilities;
    const { call, model, detector, metric, threshold } = readSettings(location.search);
    this.#call = call;
    const { models, detectors, distance_metrics } = capabilities;
    fill(this.#select("model"), models, model ?? capabilities.default_model);
    fill(this.#select("detector"), detectors, detector ?? capabilities.default_detector);
    fill(this.#select("metric"), distance_metrics, metric ?? distance_metrics[0]!);
    if (threshold !== undefined) this.#threshold.value = String(threshold);
    // What differs from the service's own choices is shown.
    const { call: _call, ...chosen } = this.settings;
    find(HTMLDetailsElement, ".options", form).open = Object.keys(chosen).length > 0;
    find(HTMLInputElement, `[name="call"][value="${call}"]`, form).checked = true;
    this.#showDefaults();
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("change", ({ target }) => {
      // Files are not settings.
      if (target instanceof HTMLInputElement && target.type === "file") return;
      if (target instanceof HTMLInputElement && target.name === "call")
        this.#call = target.value as TesterCall;
      // A threshold belongs to one model and metric.
      if (target instanceof HTMLSelectElement && target.name !== "detector") this.#threshold.value = "";
      this.#showDefaults();
      const { name } = target as HTMLInputElement | HTMLSelectElement;
      this.#showFault();
      // The answer still belongs to the previous choice.
      if (name === "threshold" && this.fault !== undefined) return;
      changed(name);
    });
  }

  /** Settings that differ from the service's own. */
  get settings(): TesterSettings {
    const { default_model, default_detector, distance_metrics } = this.#capabilities;
    const [model, detector, metric] = [this.model, this.#select("detector").value, this.metric];
    const threshold = readThreshold(this.#threshold.value);
    return {
      call: this.#call,
      ...(model === default_model ? {} : { model }),
      ...(detector === default_detector ? {} : { detector }),
      ...(metric === distance_metrics[0] ? {} : { metric }),
      ...(threshold === undefined ? {} : { threshold }),
    };
  }

  /** Fault of the settings that prevents a call; undefined if there is none. */
  get fault(): string | undefined {
    if (this.#call === "represent") return undefined;
    return thresholdFault(this.#threshold.value, this.thresholdMax);
  }

  get model(): string {
    return this.#select("model").value;
  }

  get metric(): string {
    return this.#select("metric").value;
  }

  /** The model's own threshold for the metric. */
  get ownThreshold(): number {
    return this.#ofMetric("thresholds") ?? 0;
  }

  /** The largest threshold that the service accepts. */
  get thresholdMax(): number {
    return this.#ofMetric("thresholds_max") ?? Number.POSITIVE_INFINITY;
  }

  /** The measurements behind the model's false match rates. */
  get rateEvidence(): RateEvidence | null {
    return this.#capabilities.model_details[this.model]?.false_match_rate_from ?? null;
  }

  #ofMetric(field: "thresholds" | "thresholds_max"): number | undefined {
    return this.#capabilities.model_details[this.model]?.[field][this.metric as DistanceMetric];
  }

  /** Sets a threshold that was not typed; undefined: the model's own. */
  setThreshold(threshold: number | undefined): void {
    this.#threshold.value = threshold === undefined ? "" : String(threshold);
    this.#showFault();
  }

  /** Puts the settings into the address of the page, with the samples if no other images are shown. */
  writeAddress(samples: readonly string[]): void {
    const address = location.pathname + writeSettings(this.settings, samples);
    if (address !== location.pathname + location.search) history.replaceState(null, "", address);
  }

  #showDefaults(): void {
    this.#threshold.placeholder = String(this.ownThreshold);
    const card = this.#capabilities.model_details[this.model]?.card ?? null;
    find(HTMLElement, ".card > div", this.#form).replaceChildren(...cardView(card));
    for (const label of this.#form.querySelectorAll<HTMLElement>(".of-distance")) {
      label.hidden = this.#call === "represent";
    }
  }

  #showFault(): void {
    const { fault = "" } = this;
    find(HTMLElement, ".fault", this.#form).textContent = fault;
    this.#threshold.ariaInvalid = String(fault !== "");
  }

  get #threshold(): HTMLInputElement {
    return find(HTMLInputElement, '[name="threshold"]', this.#form);
  }

  #select(name: string): HTMLSelectElement {
    return find(HTMLSelectElement, `[name="${name}"]`, this.#form);
  }
}

function fill(select: HTMLSelectElement, values: string[], chosen: string): void {
  select.replaceChildren(...values.map((value) => element("option", { value }, value)));
  select.value = values.includes(chosen) ? chosen : values[0]!;
}
