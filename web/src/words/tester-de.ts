import type { Words } from "./language.ts";

export const homePage: Words["homePage"] = {
  title: "Zeigen zwei Bilder dasselbe Gesicht?",
  description:
    "Probieren Sie aus, wie weit zwei Gesichter auseinanderliegen: eine HTTP-API zum Selbstbetrieb.",
  lead: "Dieser Dienst misst, wie weit zwei Gesichter auseinanderliegen, und ob der Abstand unter einem Schwellenwert bleibt.",
  tester: "Demo",
  noScript:
    "Die Demo braucht JavaScript. [Der Schnelleinstieg](/docs/quick-start) zeigt dieselbe Anfrage mit curl (auf Englisch).",
  what: "Was möchten Sie ausprobieren?",
  two: "Zwei Bilder",
  one: "Ein Bild",
  many: "Eins gegen viele",
  samples: "Beispiele: gezeichnete Personen, die es nicht gibt",
  promise:
    "Ihr Browser verkleinert Bilder vor dem Hochladen. Wir halten sie einige Sekunden im Arbeitsspeicher und " +
    "speichern sie nie. [Was mit einem Bild geschieht](/docs/privacy) (auf Englisch)",
  options: "Modell und Schwellenwert",
  model: "Modell",
  detector: "Detektor",
  metric: "Metrik",
  card: "Wie oft es sich irrt",
  response: "Antwort",
  responseAsJson: "Antwort als JSON",
  sameRequest: "Dieselbe Anfrage",
  requestLanguage: "Dieselbe Anfrage: Sprache",
  key: "`$FACELINE_KEY` ist Ihr API-Schlüssel: [so erhalten Sie einen](/docs/keys) (auf Englisch).",
  copyLink: "Link kopieren",
  link: "zu diesen Einstellungen, mit Beispielen als Bildern",
  take: "Foto aufnehmen",
  close: "Schließen",
  turnedOff:
    "Der Betreiber dieses Dienstes hat die Demo abgeschaltet. Die API selbst braucht einen Schlüssel: " +
    "[so erhalten Sie einen](/docs/keys) (auf Englisch).",
  quickStart: "Schnelleinstieg",
  reference: "Referenz",
  developers: "Für Entwickler",
  verify:
    "Zwei Bilder oder zwei gespeicherte Embeddings: ihr Abstand, der Schwellenwert, und ob der Abstand darunter bleibt.",
  represent:
    "Jedes Gesicht eines Bildes mit Position und Embedding: einer Liste von Zahlen zum Speichern und späteren Vergleichen.",
  compare: (candidates) => `Ein Gesicht gegen bis zu ${candidates} andere, und welches am nächsten liegt.`,
  fieldsOf: (path) => `Felder von ${path}`,
  before: "Bevor Sie sich darauf verlassen",
  cautions: [
    "Ein Abstand ist weder eine Wahrscheinlichkeit noch ein Identitätsnachweis. Geschwister und Zwillinge liegen " +
      "oft unter dem Schwellenwert: [was er bedeutet](/docs/thresholds) (auf Englisch). Bei mehreren Gesichtern " +
      "zählt das nächste, daher sind zufällige Treffer wahrscheinlicher.",
    "Ob eine lebende Person vor der Kamera war, wird nicht geprüft: Ein Foto von einem Foto genügt.",
    "Fehlerraten können sich zwischen Personengruppen unterscheiden. Dieser Dienst hat seine Modelle nicht nach " +
      "Gruppen gemessen: Entscheiden Sie nicht über Menschen, bevor Sie das getan haben.",
    "Senden Sie Bilder nur mit Einwilligung der abgebildeten Personen. Vielerorts schützt das Gesetz Gesichter " +
      "stärker als andere Daten.",
  ],
  noKey:
    "Anfragen an diesen Dienst brauchen keinen Schlüssel. Mehr zu [Schlüsseln](/docs/keys) und [Limits](/docs/limits).",
  keyFromOperator:
    "API-Anfragen brauchen einen Schlüssel, den Sie vom Betreiber dieses Dienstes erhalten. Mehr zu " +
    "[Schlüsseln](/docs/keys) und [Limits](/docs/limits).",
  keyFromWaitlist:
    "API-Anfragen brauchen einen Schlüssel: Tragen Sie sich in die [Warteliste](/waitlist) ein. Nach der Freigabe " +
    "erstellen Sie ihn in Ihrem [Dashboard](/dashboard). Mehr zu [Schlüsseln](/docs/keys) und [Limits](/docs/limits).",
};

export const tester: Words["tester"] = {
  locale: "de",
  headlines: {
    addImage: "Fügen Sie ein Bild hinzu",
    addTwo: "Fügen Sie zwei Bilder zum Vergleichen hinzu",
    addSecond: "Fügen Sie ein zweites Bild zum Vergleichen hinzu",
    comparing: "Vergleich läuft …",
    searching: "Gesichter werden gesucht …",
    reading: "Das Bild wird gelesen …",
    stillWorking: "Noch in Arbeit",
    none: "Keines liegt unter dem Schwellenwert",
    faces: (count) => (count === 1 ? "Ein Gesicht gefunden" : `${count} Gesichter gefunden`),
    nearest: (name) => `Am nächsten: ${name}, unter dem Schwellenwert`,
  },
  verdict: {
    same: "Dieselbe Person, nach diesem Schwellenwert",
    different: "Verschiedene Personen, nach diesem Schwellenwert",
    justWithin: "Knapp unter dem Schwellenwert: Versuchen Sie ein anderes Bild",
    justBeyond: "Knapp über dem Schwellenwert: Versuchen Sie ein anderes Bild",
    figures: (distance, threshold) => `Abstand ${distance}, Schwellenwert ${threshold}.`,
    sameMeans: "Ein Abstand ist weder eine Wahrscheinlichkeit noch ein Identitätsnachweis.",
    differentMeans:
      "Auch Alter, Licht oder ein gedrehter Kopf vergrößern den Abstand. Er beweist nicht, dass es zwei Personen sind.",
    closeMeans: (within) =>
      `Das zählt als ${within ? "dieselbe Person" : "verschiedene Personen"}, doch so nah am Schwellenwert liegt ` +
      "ein anderes Bild oft auf der anderen Seite.",
    nearestMeans: (count, name) =>
      `${name} liegt von ${count} am nächsten. Der Schwellenwert gilt für Paare: Eine Suche unter vielen braucht ` +
      "einen niedrigeren.",
    facesMean:
      "Ein Embedding ist eine Liste von Zahlen zum Speichern und späteren Vergleichen. Wie das Bild ist es ein " +
      "personenbezogenes Datum.",
  },
  progress: {
    seconds: (seconds) => `Noch in Arbeit, ${seconds} s`,
    retrying: (seconds) => `Nächster Versuch in ${seconds} s.`,
  },
  failure: {
    status: (status) => `Der Dienst antwortete mit Status ${status}.`,
    noFaceIn: (title) => `Kein Gesicht gefunden: ${title}.`,
    noFace:
      "Verwenden Sie ein aufrechtes Bild mit einem unbedeckten Gesicht, das zur Kamera zeigt, mit etwas Platz um den " +
      "Kopf. Drehen Sie ein liegendes Bild vorher.",
    rateLimited: "Zu viele Anfragen in kurzer Zeit",
    rateLimitedWhy: "Die Demo hat ein Limit pro Adresse, damit alle sie nutzen können.",
    busy: "Der Dienst ist ausgelastet",
    busyWhy: (detail) => `${detail} Anfragen mit Schlüssel haben Vorrang vor dieser Seite.`,
    notReady: "Der Dienst ist nicht bereit",
    unreachable: "Der Dienst ist nicht erreichbar",
    unreachableWhy:
      "Vielleicht startet er gerade neu. Diese Seite fragt von selbst nach und macht weiter, sobald er antwortet.",
    gaveUpWhy:
      "Er ist seit längerer Zeit nicht erreichbar. Laden Sie die Seite neu, um es erneut zu versuchen.",
    turnedOff: "Der Betreiber hat die Demo abgeschaltet. Die Dokumentation ist weiterhin da.",
    retry: "Versuchen Sie es erneut. Tritt der Fehler wieder auf, nennen Sie dem Betreiber die Anfrage-ID.",
    fix: "Ändern Sie, was die Meldung nennt; die Seite sendet die Anfrage dann erneut.",
    code: "Fehler",
    requestId: "Anfrage-ID",
  },
  image: {
    first: "erstes Bild",
    second: "zweites Bild",
    only: "Bild",
    source: "gesuchtes Gesicht",
    candidate: (position) => `Kandidat ${position}`,
    hint: "Bild ablegen, einfügen oder zum Auswählen klicken",
    choose: "Wählen",
    chooseThe: (title) => `Wählen: ${title}`,
    camera: "Kamera",
    cameraThe: (title) => `Kamera: ${title}`,
    removeThe: (title) => `Entfernen: ${title}`,
    shown: (title, name) => `${title}: ${name}`,
    sample: (name, title) => `Beispiel ${name}${title ? `, gezeigt als ${title}` : ""}`,
    twoOnly: "Nur zwei Bilder werden verglichen.",
    notOpened: "Ihr Browser kann diese Datei nicht öffnen. Verwenden Sie JPEG, PNG, WebP oder AVIF.",
    heic:
      "Ihr Browser kann keine HEIC-Bilder öffnen. Speichern Sie es als JPEG. Ein iPhone nimmt JPEGs auf mit " +
      "Einstellungen > Kamera > Formate > Maximale Kompatibilität.",
    notRead: "Die Datei konnte nicht gelesen werden.",
    notScaled: "Ihr Browser konnte dieses Bild nicht verkleinern.",
    notLoaded: "Das Beispiel konnte nicht geladen werden: Der Dienst ist nicht erreichbar.",
  },
  faces: {
    count: (count) => `${count} Gesichter. `,
    closest: (face) => `Gesicht ${face} liegt dem anderen Bild am nächsten und wurde verglichen. `,
    largest: (face) => `Gesicht ${face} ist das größte und wurde gesucht. `,
    chosen: (face) => `Sie haben Gesicht ${face} gewählt: Klicken Sie erneut darauf, um alle zu verwenden.`,
    how: "Klicken Sie auf ein anderes Gesicht, um es zu verwenden.",
    use: (face) => `Gesicht ${face} verwenden`,
  },
  quality: {
    too_small: "Das Gesicht hat wenige Pixel: Verwenden Sie ein größeres Bild.",
    blurred: "Das Gesicht ist unscharf: Halten Sie still oder stellen Sie scharf.",
    turned_away: "Das Gesicht ist abgewandt: Blicken Sie in die Kamera.",
    too_dark: "Das Gesicht ist dunkel: Beleuchten Sie es von vorn.",
    too_bright: "Das Gesicht ist zu hell: Verwenden Sie weicheres Licht.",
    cut_off: "Der Rand schneidet das Gesicht ab: Lassen Sie Platz um den Kopf.",
    ofFace: (face, issues) => `Gesicht ${face}: ${issues}`,
  },
  threshold: {
    label: "Schwellenwert",
    distance: "Abstand",
    threshold: "Schwellenwert",
    backTo: (own) => `Zurück zu ${own}`,
    scale: (end, distances, threshold) =>
      `Eine Skala von 0 bis ${end}: Abstand ${distances}, Schwellenwert ${threshold}`,
    samePairs: (count) => `${count} bekannte Paare derselben Person`,
    differentPairs: (count, beyond) =>
      `${count} bekannte Paare verschiedener Personen${beyond === 0 ? "" : `, ${beyond} davon weiter rechts`}`,
    unknownPairs: "Für dieses Modell und diese Metrik sind keine Paare bekannt.",
    errors: (threshold, falseMatches, falseNonMatches) =>
      `Bei ${threshold} würden *${falseMatches}* Paaren verschiedener Personen als dieselbe Person zählen (false match ` +
      `rate, FMR) und *${falseNonMatches}* Paaren derselben Person nicht (false non-match rate, FNMR). Das sind wenige ` +
      "Paare, und der Schwellenwert wurde an ihnen gewählt: ",
    of: (part, all) => `${part} von ${all}`,
    measure: "mit eigenen Bildern messen (auf Englisch)",
    notNumber: "Der Schwellenwert muss eine Zahl ab 0 sein.",
    tooLarge: (max) => `Der Schwellenwert ist ein Abstand: Er muss zwischen 0 und ${max} liegen.`,
  },
  rarity: {
    noneOf: (pairs) => `keines von ${pairs}`,
    inHundred: (count) => `${count} von 100`,
    oneIn: (pairs) => `1 von ${pairs}`,
    all: "alle",
    sentence: (share) => `Verschiedene Personen, die sich so ähnlich sind: ${share} Paaren`,
    scale: (sentence) => `Eine Skala: ${sentence}`,
    unknown: "Wie viele verschiedene Personen sich so ähnlich sind, ist für diese Anfrage nicht bekannt: ",
    basis: (pairs, own) =>
      `Eine Schätzung aus ${pairs} Bildpaaren, ${own ? "denen dieses Dienstes" : "mit denen das Modell geprüft wurde"}. ` +
      "Bilder aus einer Kamera und einem Licht sind sich ähnlicher, Verwandte auch: ",
  },
  table: {
    faces: "Gesichter",
    candidates: "Kandidaten",
    facesHead: ["Gesicht, größtes zuerst", "Größe", "Konfidenz des Detektors", "Embedding"],
    candidatesHead: ["Kandidat", "Abstand", "Ergebnis", "So ähnliche verschiedene Personen"],
    face: (face) => `Gesicht ${face}`,
    numbers: (first, count) => `${first}, … ${count} Zahlen`,
    within: "unter dem Schwellenwert",
    beyond: "über dem Schwellenwert",
    unknown: "nicht bekannt",
  },
  request: {
    samples: "Herunterladen: ",
    smaller: "Diese Seite sendet verkleinerte Bilder; mit Ihren Dateien können die Zahlen leicht abweichen.",
    cut: (face, name) => `Diese Anfrage sendet nur Gesicht ${face} aus ${name}. Herunterladen: `,
    showAll: (lines) => `Alle ${lines} Zeilen zeigen`,
  },
  time: {
    total: (time) => `Antwort nach ${time}: wofür die Zeit gebraucht wurde`,
    stored: (time) => `Antwort für diese Beispiele nach ${time}: wofür die Zeit gebraucht wurde`,
    note: "Bilder einer Anfrage warten oft aufeinander: Ein CPU-Worker berechnet eines nach dem anderen.",
    sum: "Summe",
    parts: {
      admission: "Prüfung",
      publish: "Übergabe an die Warteschlange",
      hold: "Warten auf einen volleren Batch",
      queue: "Warten auf einen Worker",
      retry: "Wiederholungen",
      hop: "Übertragung zwischen Prozessen",
      prepare: "Bilder dekodieren",
      run: "Detektion und Embedding",
      answer: "Antwort",
      gather: "Vergleich",
      unaccounted: "Nicht gemessen",
      network: "Netzwerk und Browser",
    },
  },
  camera: {
    denied:
      "Der Browser lässt diese Seite die Kamera nicht verwenden. Erlauben Sie es in der Adressleiste und öffnen Sie " +
      "die Kamera erneut.",
    missing: "Keine Kamera gefunden. Wählen Sie stattdessen eine Datei.",
    busy: "Die Kamera ließ sich nicht öffnen: Vielleicht nutzt sie ein anderes Programm. Wählen Sie stattdessen eine Datei.",
  },
  card: {
    none: "Dieses Modell wurde hier nicht gemessen.",
    label: "Fehlerraten nach Bedingung",
    sentence: (card) =>
      `Gemessen am ${card.on} von ${card.by} mit ${card.lane}, an ${card.images} Bildern von ${card.people} Personen ` +
      `(${card.source}). In Klammern: 95-%-Intervalle. Andere Personen und Kameras ergeben andere Raten.`,
    head: [
      "Ein Bild des Paars",
      "Kein Gesicht",
      "Dieselbe Person abgelehnt (FNMR)",
      "Zwei Personen für eine gehalten (FMR)",
    ],
    rate: (value, low, high) => `${value} % (${low} bis ${high})`,
    cost: (ms, processor, memory) =>
      `${ms} ms CPU-Zeit pro Gesicht auf einem Thread (${processor}), ${memory} MiB.`,
  },
};
