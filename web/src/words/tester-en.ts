/** What the home page says, its script apart. `./linked-text.ts` has the syntax of links. */
export const homePage = {
  title: "Do two images show the same face?",
  description: "Try how far apart two faces are: a self-hosted HTTP API, with its tester.",
  lead: "This service measures how far apart two faces are, and says whether that is closer than a threshold.",
  tester: "Tester",
  noScript:
    "The tester needs JavaScript. [The quick start](/docs/quick-start) shows the same request with curl.",
  what: "What to try",
  two: "Two images",
  one: "One image",
  many: "One against many",
  samples: "Samples: drawn people who do not exist",
  promise:
    "Your browser shrinks images before upload. We keep them in memory for seconds and never store them. " +
    "[What happens to an image](/docs/privacy)",
  options: "Model and threshold",
  model: "Model",
  detector: "Detector",
  metric: "Metric",
  card: "How often it is wrong",
  response: "Response",
  responseAsJson: "Response as JSON",
  sameRequest: "The same request",
  requestLanguage: "The same request: language",
  key: "`$FACELINE_KEY` is your API key: [how to get one](/docs/keys).",
  copyLink: "Copy link",
  link: "to these settings, with samples as images",
  take: "Take photo",
  close: "Close",
  turnedOff:
    "The operator of this service has turned the tester off. The API itself needs a key: " +
    "[how to get one](/docs/keys).",
  quickStart: "Quick start",
  reference: "Reference",
  developers: "For developers",
  verify:
    "Two images, or two stored embeddings: their distance, the threshold, and whether the distance is within it.",
  represent:
    "Every face in an image, with its position and its embedding: a list of numbers to store and compare later.",
  compare: (candidates: string) =>
    `One face against up to ${candidates} others, and which of them is nearest.`,
  fieldsOf: (path: string) => `Fields of ${path}`,
  before: "Before you rely on it",
  cautions: [
    "A distance is not a probability, and not proof of identity. Siblings and twins are often closer than the " +
      "threshold: [what a threshold means](/docs/thresholds). In an image with several faces the closest face " +
      "is used, so chance matches are more likely.",
    "Nothing here checks for a living person in front of the camera: a photograph of a photograph passes.",
    "Error rates may differ between groups of people. This service has not measured its models by group: do " +
      "not decide about people until you have.",
    "Send images only with the consent of the people in them. In many places the law protects faces more than " +
      "other data.",
  ],
  noKey: "Requests to this service need no key. More on [keys](/docs/keys) and [limits](/docs/limits).",
  keyFromOperator:
    "API requests need a key, which the operator of this service gives you. More on [keys](/docs/keys) and " +
    "[limits](/docs/limits).",
  keyFromWaitlist:
    "API requests need a key: join the [waitlist](/waitlist). Once approved, create one on your " +
    "[dashboard](/dashboard). More on [keys](/docs/keys) and [limits](/docs/limits).",
};

/** What the script of the home page says. Numbers come formatted. */
export const tester = {
  locale: "en",
  headlines: {
    addImage: "Add an image",
    addTwo: "Add two images to compare",
    addSecond: "Add a second image to compare",
    comparing: "Comparing…",
    searching: "Finding faces…",
    reading: "Reading the image…",
    stillWorking: "Still working",
    none: "None is within the threshold",
    faces: (count: number) => (count === 1 ? "One face found" : `${count} faces found`),
    nearest: (name: string) => `Nearest: ${name}, within the threshold`,
  },
  verdict: {
    same: "Same person, by this threshold",
    different: "Different people, by this threshold",
    justWithin: "Just within the threshold: try another image",
    justBeyond: "Just beyond the threshold: try another image",
    figures: (distance: string, threshold: string) => `Distance ${distance}, threshold ${threshold}.`,
    sameMeans: "A distance is not a probability, and not proof of identity.",
    differentMeans: "Age, light or a turned head also increase a distance. It does not prove two people.",
    closeMeans: (within: boolean) =>
      `It counts as ${within ? "the same person" : "different people"}, but this close to the threshold ` +
      "another image often falls on the other side.",
    nearestMeans: (count: number, name: string) =>
      `${name} is the nearest of ${count}. The threshold is for pairs: a search among many needs a lower one.`,
    facesMean:
      "An embedding is a list of numbers to store and compare later. It is personal data, just like the image.",
  },
  progress: {
    seconds: (seconds: number) => `Still working, ${seconds} s`,
    retrying: (seconds: number) => `Next try in ${seconds} s.`,
  },
  failure: {
    status: (status: number) => `The service responded with status ${status}.`,
    noFaceIn: (title: string) =>
      `No face was found in ${title.startsWith("candidate") ? "" : "the "}${title}.`,
    noFace:
      "Use an upright image with a face that is turned to the camera and not covered, and with some room " +
      "around the head. Rotate an image that lies on its side first.",
    rateLimited: "Too many requests in a short time",
    rateLimitedWhy: "The tester has a rate limit for each address, so that it is there for everybody.",
    busy: "The service is busy",
    busyWhy: (detail: string) => `${detail} Requests with a key have priority over this page.`,
    notReady: "The service is not ready",
    unreachable: "The service cannot be reached",
    unreachableWhy:
      "It may be restarting. This page checks again by itself and continues once the service is back.",
    gaveUpWhy: "It has been away for a long time. Reload the page to try again.",
    turnedOff: "The operator has turned the tester off. The documentation is still there.",
    retry: "Retry. If it fails again, report it to the operator with the request ID.",
    fix: "Change what it names, and the page sends the request again.",
    code: "Error",
    requestId: "Request ID",
  },
  image: {
    first: "first image",
    second: "second image",
    only: "image",
    source: "face to look for",
    candidate: (position: number) => `candidate ${position}`,
    hint: "Drop, paste or click to add an image",
    choose: "Choose",
    chooseThe: (title: string) => `Choose the ${title}`,
    camera: "Camera",
    cameraThe: (title: string) => `Camera: take the ${title}`,
    removeThe: (title: string) => `Remove the ${title}`,
    shown: (title: string, name: string) => `The ${title}: ${name}`,
    sample: (name: string, title?: string) => `Sample ${name}${title ? `, shown as the ${title}` : ""}`,
    twoOnly: "Only two images are compared.",
    notOpened: "Your browser cannot open this file. Use JPEG, PNG, WebP or AVIF.",
    heic:
      "Your browser cannot open HEIC images. Save it as JPEG first. An iPhone takes JPEGs after " +
      "Settings > Camera > Formats > Most Compatible.",
    notRead: "The file could not be read.",
    notScaled: "Your browser could not scale this image.",
    notLoaded: "The sample could not be loaded: the service cannot be reached.",
  },
  faces: {
    count: (count: number) => `${count} faces. `,
    closest: (face: number) => `Face ${face} is closest to the other image, so it was compared. `,
    largest: (face: number) => `Face ${face} is the largest, so it was looked for. `,
    chosen: (face: number) => `You chose face ${face}: click its box again to use all faces.`,
    how: "Click another box to use that face.",
    use: (face: number) => `Use face ${face}`,
  },
  quality: {
    too_small: "The face has few pixels: use a larger image.",
    blurred: "The face is blurred: hold still, or focus.",
    turned_away: "The face is turned away: look into the camera.",
    too_dark: "The face is dark: light it from the front.",
    too_bright: "The face is too bright: use softer light.",
    cut_off: "The edge cuts off the face: leave room around the head.",
    ofFace: (face: number, issues: string) => `Face ${face}: ${issues}`,
  },
  threshold: {
    label: "Threshold",
    distance: "distance",
    threshold: "threshold",
    backTo: (own: string) => `Back to ${own}`,
    scale: (end: string, distances: string, threshold: string) =>
      `A scale from 0 to ${end}: distance ${distances}, threshold ${threshold}`,
    samePairs: (count: number) => `${count} labelled pairs of the same person`,
    differentPairs: (count: number, beyond: number) =>
      `${count} labelled pairs of different people${beyond === 0 ? "" : `, ${beyond} of them further right`}`,
    unknownPairs: "No labelled pairs are known for this model and metric.",
    errors: (threshold: string, falseMatches: string, falseNonMatches: string) =>
      `At ${threshold}, *${falseMatches}* pairs of different people would count as the same person (false match ` +
      `rate, FMR), and *${falseNonMatches}* pairs of the same person would not (false non-match rate, FNMR). ` +
      "Few pairs, and the threshold was chosen on them: ",
    of: (part: number, all: number) => `${part} of ${all}`,
    measure: "measure with your own images",
    notNumber: "The threshold must be a number of 0 or more.",
    tooLarge: (max: string) => `The threshold is a distance: it must be between 0 and ${max}.`,
  },
  rarity: {
    noneOf: (pairs: string) => `none of ${pairs}`,
    inHundred: (count: number) => `${count} in 100`,
    oneIn: (pairs: string) => `1 in ${pairs}`,
    all: "all",
    sentence: (share: string) => `${share} pairs of different people look this alike`,
    scale: (sentence: string) => `A scale: ${sentence}`,
    unknown: "How many different people look this alike is not known for this request: ",
    basis: (pairs: string, own: boolean) =>
      `An estimate from ${pairs} pairs of images ${own ? "of this service's own" : "that the model was tried on"}. ` +
      "Images from one camera and light are more alike, and so are relatives: ",
  },
  table: {
    faces: "Faces",
    candidates: "Candidates",
    facesHead: ["Face, largest first", "Size", "Detector confidence", "Embedding"],
    candidatesHead: ["Candidate", "Distance", "Result", "Different people this alike"],
    face: (face: number) => `Face ${face}`,
    numbers: (first: string, count: number) => `${first}, … ${count} numbers`,
    within: "within the threshold",
    beyond: "beyond the threshold",
    unknown: "not known",
  },
  request: {
    samples: "Download ",
    smaller:
      "This page sends smaller copies, so a request with your files may give slightly different numbers.",
    cut: (face: number, name: string) => `This request sends only face ${face} of ${name}. Download `,
    showAll: (lines: number) => `Show all ${lines} lines`,
  },
  time: {
    total: (time: string) => `Answered in ${time}: where the time went`,
    stored: (time: string) => `Answered in ${time} for these samples: where the time went`,
    note: "Images of one request may wait for each other: a CPU worker computes one at a time.",
    sum: "Total",
    parts: {
      admission: "Validation",
      publish: "Publishing to the queue",
      hold: "Wait for a fuller batch",
      queue: "Wait for a worker",
      retry: "Retries",
      hop: "Network hops",
      prepare: "Image decoding",
      run: "Detection and embedding",
      answer: "Response",
      gather: "Comparison",
      unaccounted: "Not measured",
      network: "Network and browser",
    },
  },
  camera: {
    denied:
      "The browser does not let this page use the camera. Allow it in the browser's address bar, then open the " +
      "camera again.",
    missing: "No camera was found. Choose a file instead.",
    busy: "The camera could not be opened: another program may be using it. Choose a file instead.",
  },
  card: {
    none: "This model was not measured here.",
    label: "Error rates by condition",
    sentence: (card: {
      on: string;
      by: string;
      lane: string;
      images: string;
      people: string;
      source: string;
    }) =>
      `Measured on ${card.on} by ${card.by} with ${card.lane}, on ${card.images} images of ${card.people} people ` +
      `(${card.source}). In brackets: 95 % intervals. Other people and cameras give other rates.`,
    head: ["One image of a pair", "No face", "One person refused (FNMR)", "Two people taken for one (FMR)"],
    rate: (value: string, low: string, high: string) => `${value} % (${low} to ${high})`,
    cost: (ms: string, processor: string, memory: string) =>
      `${ms} ms of CPU time a face on one thread (${processor}), ${memory} MiB.`,
  },
};
