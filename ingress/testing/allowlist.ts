import { type Allowlist, enabledModels, type ModelSelection } from "@faceline/accounts/models/allowlist";
import { decideChange } from "@faceline/accounts/models/change";
import type { AccountPorts } from "../src/accounts/account-ports.ts";

const loaded: ModelSelection = {
  models: { names: ["Dlib"], default: "Dlib" },
  detectors: { names: ["ssd", "tiny"], default: "ssd" },
};

/** One ingress that follows a record in memory. */
export function testAllowlist(): AccountPorts["models"] {
  let allowlist: Allowlist | undefined;
  return {
    async list() {
      const { enabled } = enabledModels(loaded, allowlist);
      const version = allowlist?.version ?? 0;
      return { receivers: 1, replies: [{ ingress: "one", version, loaded, enabled }] };
    },
    async change(change) {
      const decision = decideChange(allowlist, [loaded], change);
      if (decision.kind !== "change") return decision;
      allowlist = decision.allowlist;
      return { kind: "changed", followers: 1, receivers: 1 };
    },
  };
}
