import type { Inputs } from "../images/inputs.ts";
import type { Offer } from "../offer.ts";
import type { Ports } from "../ports.ts";
import type { HttpSettings } from "../settings.ts";

/** What every route works with. */
export type Desk = { ports: Ports; settings: HttpSettings; offer: Offer; inputs: Inputs };
