/** The latest `max` values; older ones are overwritten. Adding costs an assignment. */
export class Latest<Value> {
  readonly #max: number;
  readonly #ring: Value[] = [];
  #next = 0;

  constructor(max: number) {
    this.#max = max;
  }

  add(value: Value): void {
    this.#ring[this.#next] = value;
    this.#next = (this.#next + 1) % this.#max;
  }

  /** The oldest first. */
  values(): Value[] {
    return [...this.#ring.slice(this.#next), ...this.#ring.slice(0, this.#next)];
  }
}
