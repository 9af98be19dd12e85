// Run as a process of its own by tools/testing/networks-on.ts, because the environment of a process chooses
// its graphics driver.
import { readCatalogue } from "@faceline/models/catalogue";
import { syntheticFace } from "@faceline/models/synthetic-face";
import { executionProviders } from "../src/network/execution-provider.ts";
import { ModelLoader } from "../src/network/model-loader.ts";
import { PrecisionSetting } from "../src/network/precision.ts";
import { builtModels } from "./photographs.ts";

/**
 * Loads two networks as a worker does, with the check of where their nodes run, and prints what each gives
 * for a synthetic face, or the sentence with which loading ends. Arguments: execution provider and precision.
 * The detectors are left out: on a CPU that stands for a GPU, one of their runs takes half a minute.
 */
const [provider, precision = "float"] = process.argv.slice(2);
const executionProvider = executionProviders.find((each) => each === provider)!;
const catalogue = await readCatalogue();
try {
  await using loader = new ModelLoader(catalogue, {
    modelsDir: await builtModels(),
    executionProvider,
    intraOpThreads: 1,
    precision: PrecisionSetting.parse(precision),
  });
  const outputs: Record<string, number[]> = {};
  for (const model of [catalogue.find("landmarks", "landmarks-68")!, catalogue.find("embedding", "Dlib")!]) {
    const network = (await loader.load(model, 1)).networks.at(-1)!;
    await network.run(1, {
      write: (_row, input) => input.set(syntheticFace(network.px)),
      read: (_row, outputOf) => {
        outputs[model.name] = Object.keys(model.outputs).flatMap((name) => [...outputOf(name)]);
      },
    });
  }
  process.stdout.write(JSON.stringify({ outputs }));
} catch (error) {
  process.stdout.write(JSON.stringify({ error: (error as Error).message }));
}
