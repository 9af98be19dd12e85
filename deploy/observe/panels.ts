import { batchingPage } from "./panels/batching.ts";
import { capacityPage } from "./panels/capacity.ts";
import type { Page } from "./panels/panel.ts";
import { servicePage } from "./panels/service.ts";
import { timePage } from "./panels/time.ts";

/**
 * All panels. The dashboards of Grafana and the console pages of Prometheus in `generated/` are made from
 * this list by `npm run fix`.
 */
export const pages: Page[] = [servicePage, timePage, batchingPage, capacityPage];
