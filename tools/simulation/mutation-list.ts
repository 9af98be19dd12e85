// Read by mutations.ts; mutation-list.test.ts checks that every rule is still in its module.

/** A rule of the policy and the change that breaks it. */
export type Mutation = {
  name: string;
  /** Path in `batcher/src/scheduling`, without its extension. */
  module: string;
  /** The text in it that makes the rule. */
  rule: string;
  broken: string;
};

const rulesByModule: Record<string, [name: string, rule: string, broken: string][]> = {
  "estimates/workers-needed": [
    ["the number of workers needed falls at once", "holdMs = 300_000", "holdMs = 10_000"],
  ],
  "reports/recovery": [
    [
      "a part of a lost batch is dropped",
      "splitIntoParts(tasks).map(",
      "splitIntoParts(tasks).slice(1).map(",
    ],
    ["a lost batch is retried whole", "retryPartCount = 4", "retryPartCount = 1"],
    [
      "a preparation that hangs is not noticed",
      "return isPreparationHung(state, worker, now);",
      "return false;",
    ],
    ["sent tasks outlive their deadlines", "if (sent.expiresAt <= now)", "if (false)"],
    ["attempts are not limited", "sent.attempt >= attemptsMax(lane) || (isAlone", "false && (isAlone"],
  ],
  "capacity/worker-slot": [
    [
      "a batch is staged behind one that may be poison",
      "!isIdle(load) && (mayBePoison || poisonWaits)",
      "false",
    ],
    ["two batches are staged", ": stagedCount > 0)", ": stagedCount > 1)"],
    ["two heavy batches are staged", "stagedHeavy !== undefined :", "false :"],
    [
      "light tasks wait for an image that is decoded",
      ": stagedCount > 0)",
      ": stagedCount > 0 || stagedHeavy !== undefined)",
    ],
    ["the hop to the worker is not counted", "preparedAt = now + state.hops.toWorker.ms", "preparedAt = now"],
    ["preparation is not counted", "+ lane.estimates.prepareHighMs(load)", ""],
    ["the reply hop is not counted", "+ state.hops.reply.ms", ""],
  ],
  "reports/reports": [
    ["an adopted batch begins again with its first attempt", "attempt: held.attempt,", "attempt: 1,"],
    ["a partition claimed by another worker is not given up", "{ partitions: left }", "{}"],
  ],
  "reports/lane-builds": [
    ["a call goes to any build after a takeover", "answeredBy !== undefined", "false"],
    ["tasks that were sent do not bind the rest of their call", "adopted !== undefined", "false"],
    ["a call with an answer moves to another build", "!isAnswered(state, lane, call)", "true"],
    ["a call with an answer waits for ever", "else if (isGone)", "else if (false)"],
  ],
  "state/state": [["a late answer leaves the retry in the lane", "if (ofLostBatch)", "if (false)"]],
  arrive: [["adopted tasks are sent again", '!sent.adopted || sent.phase.kind === "lost"', "true"]],
  decide: [
    ["tasks stay open after the partition was lost", "state.open.clear();", ""],
    ["a batcher without a session decides on", "now >= state.sessionEndsAt", "false"],
    ["tasks stay queued after the partition was lost", "state.lanes.clear();", ""],
    ["a stall of the batcher counts as silence of the workers", "reportedAt + stalledMs", "reportedAt"],
    [
      "a batcher's wait for a core counts as silence of the workers",
      "? pauseMs : withoutCoreMs",
      "? pauseMs : 0",
    ],
  ],
  "state/workers": [
    ["a silent worker is served", "!isSilent(worker, now) && !worker.unresponsive", "true"],
    ["a batch goes to a worker of another build", " && loaded.build.digest === build?.digest", ""],
  ],
  "dispatch/batch-choice": [
    [
      "a worker's own largest size is ignored",
      "countMax: Math.min(sizing.usefulSize, slot.sizeMax)",
      "countMax: sizing.usefulSize",
    ],
    ["tasks are held without need", "count >= sizing.floor)", "count > sizing.floor)"],
    ["tasks are held for ten staggers", "+ sizing.holdMs", "+ 10 * sizing.holdMs"],
  ],
  "estimates/time-model": [
    ["a change of pace is taken for noise", "if (misses === missesOfJump)", "if (false)"],
    [
      "a size that is not run stays as long as after a pause",
      "this.#bounded = this.#withinBounds();",
      "this.#bounded = this.#means;",
    ],
  ],
  "capacity/batch-size-bounds": [
    ["the useful size is not capped", "usefulShare = 0.95", "usefulShare = 2"],
    ["the batch size of an operator is ignored", "if (sizes[index]! <= batchMax) best =", "best ="],
    [
      "batches beside quiet tenants are as large as others",
      "usefulShareUneven = 0.8",
      "usefulShareUneven = 0.95",
    ],
    [
      "a size that once seemed to gain nothing is never tried again",
      "estimates.run.isStale(size)) ?? useful",
      "false) ?? useful",
    ],
    ["only the next size is ever tried again", "size <= sizeMax &&", "size <= 2 * useful &&"],
  ],
  "admission/admission": [
    ["infeasible deadlines are not refused", "now + predictedMs > deadlineAt", "false"],
    ["a queue that is too long is not refused", "waitMs <= waitMaxMs)", "true)"],
    ["a lane that refuses everything never probes", "mayProbe(situation) ?", "false ?"],
    [
      "a tenant within its share answers for the others' queue",
      "lane.estimates.demand.isWithinShare(tenant, tasksPerMs, now)",
      "false",
    ],
  ],
  "queue/fair-queue": [
    [
      "what a tenant used before is forgotten",
      "Math.max(this.#earliestStartTag, this.#startTags.get(tenant) ?? 0)",
      "this.#earliestStartTag",
    ],
    [
      "a tenant with nothing waiting goes behind a turn of the others",
      "Math.max(0, this.#virtualTime - headStartMax)",
      "this.#virtualTime + 1",
    ],
    ["the second image of a call waits a turn", "headStartMax = 8", "headStartMax = 0"],
    ["all tenants share one queue", "this.#queueOf(tenant);", 'this.#queueOf("all");'],
  ],
  "admission/shedding": [
    ["a full lane refuses every tenant", "ownCount <= laneWaitingMax / tenants", "false"],
    ["a tenant beyond its share has others evicted", "ownCount <= laneWaitingMax / tenants", "true"],
    ["calls that have begun are evicted", ".filter((call) => !call.started)", ""],
    ["the oldest call is evicted", "calls.findLastIndex(", "calls.findIndex("],
    [
      "early drop hits tenants within their share",
      "|| situation.lane.queue.isWithinShare(urgent.tenant.tenant)",
      "",
    ],
  ],
  "estimates/lane-estimates": [["a heavy image counts like any other", "Math.max(1, ms / lightTaskMs)", "1"]],
  "queue/batch-load": [["no task is heavy", "cost >= heavyCostMin", "false"]],
  "estimates/recent-tenants": [
    ["long batches are sent beside other tenants", "now - this.#changedAt < recentMs", "false"],
  ],
  "capacity/next-slot": [
    ["all workers prepare heavy images", "Math.floor(loads.length / 2)", "loads.length"],
    [
      "a worker that runs a heavy image prepares no other one",
      "? free : free.filter(({ holdsHeavy }) => holdsHeavy)",
      "? free : []",
    ],
  ],
  "dispatch/dispatch": [
    [
      "another lane takes the slot of a more urgent one",
      "return goesBefore({ proposal, isExcessive }, each);",
      "return false;",
    ],
    [
      "a flood in one lane goes before quiet tenants of another one",
      "a.isExcessive !== b.isExcessive",
      "false",
    ],
  ],
  "capacity/competing-lanes": [
    [
      "the work of competing lanes is not counted",
      "Math.ceil(lane.dueBeforeCount(deadlineAt) / size) * batchMs",
      "0",
    ],
  ],
};

export const mutations = Object.entries(rulesByModule).flatMap(([module, rules]) =>
  rules.map(([name, rule, broken]): Mutation => ({ name, module, rule, broken })),
);
