import type { Words } from "./language.ts";

export const homePage: Words["homePage"] = {
  title: "¿Muestran dos imágenes la misma cara?",
  description: "Pruebe a qué distancia están dos caras: una API HTTP para alojar en su propio servidor.",
  lead: "Este servicio mide a qué distancia están dos caras y si esa distancia queda por debajo de un umbral.",
  tester: "Demo",
  noScript:
    "La demo necesita JavaScript. [La guía de inicio rápido](/docs/quick-start) muestra la misma solicitud con curl (en inglés).",
  what: "¿Qué quiere probar?",
  two: "Dos imágenes",
  one: "Una imagen",
  many: "Una contra varias",
  samples: "Ejemplos: personas dibujadas que no existen",
  promise:
    "Su navegador reduce las imágenes antes de subirlas. Las mantenemos unos segundos en memoria y nunca las " +
    "guardamos. [Qué ocurre con una imagen](/docs/privacy) (en inglés)",
  options: "Modelo y umbral",
  model: "Modelo",
  detector: "Detector",
  metric: "Métrica",
  card: "Con qué frecuencia se equivoca",
  response: "Respuesta",
  responseAsJson: "Respuesta en JSON",
  sameRequest: "La misma solicitud",
  requestLanguage: "La misma solicitud: lenguaje",
  key: "`$FACELINE_KEY` es su clave de API: [cómo obtener una](/docs/keys) (en inglés).",
  copyLink: "Copiar enlace",
  link: "a estos ajustes, con ejemplos como imágenes",
  take: "Hacer la foto",
  close: "Cerrar",
  turnedOff:
    "El operador de este servicio ha desactivado la demo. La API en sí necesita una clave: " +
    "[cómo obtener una](/docs/keys) (en inglés).",
  quickStart: "Inicio rápido",
  reference: "Referencia",
  developers: "Para desarrolladores",
  verify:
    "Dos imágenes o dos embeddings guardados: su distancia, el umbral y si la distancia queda por debajo.",
  represent:
    "Cada cara de una imagen, con su posición y su embedding: una lista de números para guardar y comparar después.",
  compare: (candidates) => `Una cara contra un máximo de ${candidates}, y cuál de ellas es la más cercana.`,
  fieldsOf: (path) => `Campos de ${path}`,
  before: "Antes de confiar en el resultado",
  cautions: [
    "Una distancia no es una probabilidad ni una prueba de identidad. Los hermanos y los gemelos suelen quedar por " +
      "debajo del umbral: [qué significa](/docs/thresholds) (en inglés). Si hay varias caras se usa la más cercana, " +
      "por lo que las coincidencias casuales son más probables.",
    "No se comprueba que hubiera una persona viva ante la cámara: basta la foto de una foto.",
    "Las tasas de error pueden variar entre grupos de personas. Este servicio no ha medido sus modelos por grupo: " +
      "no decida sobre personas hasta haberlo hecho.",
    "Envíe imágenes solo con el consentimiento de quienes aparecen. En muchos lugares la ley protege las caras más " +
      "que otros datos.",
  ],
  noKey:
    "Las solicitudes a este servicio no necesitan clave. Más sobre [claves](/docs/keys) y [límites](/docs/limits).",
  keyFromOperator:
    "Las solicitudes a la API necesitan una clave, que le da el operador de este servicio. Más sobre " +
    "[claves](/docs/keys) y [límites](/docs/limits).",
  keyFromWaitlist:
    "Las solicitudes a la API necesitan una clave: únase a la [lista de espera](/waitlist). Tras la aprobación, " +
    "créela en su [panel](/dashboard). Más sobre [claves](/docs/keys) y [límites](/docs/limits).",
};

export const tester: Words["tester"] = {
  locale: "es",
  headlines: {
    addImage: "Añada una imagen",
    addTwo: "Añada dos imágenes para comparar",
    addSecond: "Añada una segunda imagen para comparar",
    comparing: "Comparando…",
    searching: "Buscando caras…",
    reading: "Leyendo la imagen…",
    stillWorking: "Sigue en curso",
    none: "Ninguna queda por debajo del umbral",
    faces: (count) => (count === 1 ? "Una cara encontrada" : `${count} caras encontradas`),
    nearest: (name) => `La más cercana: ${name}, por debajo del umbral`,
  },
  verdict: {
    same: "La misma persona, según este umbral",
    different: "Personas distintas, según este umbral",
    justWithin: "Justo por debajo del umbral: pruebe otra imagen",
    justBeyond: "Justo por encima del umbral: pruebe otra imagen",
    figures: (distance, threshold) => `Distancia ${distance}, umbral ${threshold}.`,
    sameMeans: "Una distancia no es una probabilidad ni una prueba de identidad.",
    differentMeans:
      "La edad, la luz o un giro de la cabeza también aumentan la distancia. No prueba que sean dos personas.",
    closeMeans: (within) =>
      `Cuenta como ${within ? "la misma persona" : "personas distintas"}, pero tan cerca del umbral otra imagen suele ` +
      "caer al otro lado.",
    nearestMeans: (count, name) =>
      `${name} es la más cercana de ${count}. El umbral es para pares: una búsqueda entre muchas necesita uno más bajo.`,
    facesMean:
      "Un embedding es una lista de números para guardar y comparar después. Es un dato personal, igual que la imagen.",
  },
  progress: {
    seconds: (seconds) => `Sigue en curso, ${seconds} s`,
    retrying: (seconds) => `Próximo intento en ${seconds} s.`,
  },
  failure: {
    status: (status) => `El servicio respondió con el estado ${status}.`,
    noFaceIn: (title) => `No se encontró ninguna cara: ${title}.`,
    noFace:
      "Use una imagen derecha, con una cara descubierta que mire a la cámara y algo de espacio alrededor de la cabeza. " +
      "Si la imagen está tumbada, gírela antes.",
    rateLimited: "Demasiadas solicitudes en poco tiempo",
    rateLimitedWhy: "La demo tiene un límite por dirección, para que todos puedan usarla.",
    busy: "El servicio está ocupado",
    busyWhy: (detail) => `${detail} Las solicitudes con clave tienen prioridad sobre esta página.`,
    notReady: "El servicio no está listo",
    unreachable: "No se puede acceder al servicio",
    unreachableWhy:
      "Quizá se esté reiniciando. Esta página vuelve a comprobarlo sola y continúa en cuanto responde.",
    gaveUpWhy: "Lleva mucho tiempo sin responder. Vuelva a cargar la página para intentarlo de nuevo.",
    turnedOff: "El operador ha desactivado la demo. La documentación sigue disponible.",
    retry: "Inténtelo de nuevo. Si vuelve a fallar, comunique al operador el ID de la solicitud.",
    fix: "Cambie lo que indica el mensaje y la página enviará la solicitud de nuevo.",
    code: "Error",
    requestId: "ID de la solicitud",
  },
  image: {
    first: "primera imagen",
    second: "segunda imagen",
    only: "imagen",
    source: "cara buscada",
    candidate: (position) => `candidata ${position}`,
    hint: "Suelte, pegue o haga clic para añadir una imagen",
    choose: "Elegir",
    chooseThe: (title) => `Elegir: ${title}`,
    camera: "Cámara",
    cameraThe: (title) => `Cámara: ${title}`,
    removeThe: (title) => `Quitar: ${title}`,
    shown: (title, name) => `${title}: ${name}`,
    sample: (name, title) => `Ejemplo ${name}${title ? `, usado como ${title}` : ""}`,
    twoOnly: "Solo se comparan dos imágenes.",
    notOpened: "Su navegador no puede abrir este archivo. Use JPEG, PNG, WebP o AVIF.",
    heic:
      "Su navegador no puede abrir imágenes HEIC. Guárdela como JPEG. Un iPhone hace JPEG con " +
      "Ajustes > Cámara > Formatos > El más compatible.",
    notRead: "No se pudo leer el archivo.",
    notScaled: "Su navegador no pudo reducir esta imagen.",
    notLoaded: "No se pudo cargar el ejemplo: no se puede acceder al servicio.",
  },
  faces: {
    count: (count) => `${count} caras. `,
    closest: (face) => `La cara ${face} es la más cercana a la otra imagen y se comparó. `,
    largest: (face) => `La cara ${face} es la más grande y se buscó. `,
    chosen: (face) => `Ha elegido la cara ${face}: vuelva a hacer clic en ella para usar todas.`,
    how: "Haga clic en otra cara para usarla.",
    use: (face) => `Usar la cara ${face}`,
  },
  quality: {
    too_small: "La cara tiene pocos píxeles: use una imagen más grande.",
    blurred: "La cara está borrosa: no se mueva o enfoque.",
    turned_away: "La cara está girada: mire a la cámara.",
    too_dark: "La cara está oscura: ilumínela de frente.",
    too_bright: "La cara está demasiado clara: use una luz más suave.",
    cut_off: "El borde corta la cara: deje espacio alrededor de la cabeza.",
    ofFace: (face, issues) => `Cara ${face}: ${issues}`,
  },
  threshold: {
    label: "Umbral",
    distance: "distancia",
    threshold: "umbral",
    backTo: (own) => `Volver a ${own}`,
    scale: (end, distances, threshold) =>
      `Una escala de 0 a ${end}: distancia ${distances}, umbral ${threshold}`,
    samePairs: (count) => `${count} pares conocidos de la misma persona`,
    differentPairs: (count, beyond) =>
      `${count} pares conocidos de personas distintas${beyond === 0 ? "" : `, ${beyond} de ellos más a la derecha`}`,
    unknownPairs: "No se conocen pares para este modelo y esta métrica.",
    errors: (threshold, falseMatches, falseNonMatches) =>
      `Con ${threshold}, *${falseMatches}* pares de personas distintas contarían como la misma persona (false match rate, ` +
      `FMR) y *${falseNonMatches}* pares de la misma persona no (false non-match rate, FNMR). Son pocos pares, y el ` +
      "umbral se eligió con ellos: ",
    of: (part, all) => `${part} de ${all}`,
    measure: "medir con imágenes propias (en inglés)",
    notNumber: "El umbral debe ser un número a partir de 0.",
    tooLarge: (max) => `El umbral es una distancia: debe estar entre 0 y ${max}.`,
  },
  rarity: {
    noneOf: (pairs) => `ninguno de ${pairs}`,
    inHundred: (count) => `${count} de cada 100`,
    oneIn: (pairs) => `1 de cada ${pairs}`,
    all: "todos",
    sentence: (share) => `Personas distintas que se parecen tanto: ${share.toLowerCase()} pares`,
    scale: (sentence) => `Una escala: ${sentence}`,
    unknown: "No se sabe cuántas personas distintas se parecen tanto en esta solicitud: ",
    basis: (pairs, own) =>
      `Una estimación a partir de ${pairs} pares de imágenes ${own ? "de este servicio" : "con los que se probó el modelo"}. ` +
      "Las imágenes de una misma cámara y luz se parecen más, y los parientes también: ",
  },
  table: {
    faces: "Caras",
    candidates: "Candidatas",
    facesHead: ["Cara, la más grande primero", "Tamaño", "Confianza del detector", "Embedding"],
    candidatesHead: ["Candidata", "Distancia", "Resultado", "Personas distintas tan parecidas"],
    face: (face) => `Cara ${face}`,
    numbers: (first, count) => `${first}, … ${count} números`,
    within: "por debajo del umbral",
    beyond: "por encima del umbral",
    unknown: "no se sabe",
  },
  request: {
    samples: "Descargar: ",
    smaller: "Esta página envía copias reducidas; con sus archivos los números pueden variar un poco.",
    cut: (face, name) => `Esta solicitud envía solo la cara ${face} de ${name}. Descargar: `,
    showAll: (lines) => `Mostrar las ${lines} líneas`,
  },
  time: {
    total: (time) => `Respuesta en ${time}: en qué se empleó el tiempo`,
    stored: (time) => `Respuesta para estos ejemplos en ${time}: en qué se empleó el tiempo`,
    note: "Las imágenes de una solicitud pueden esperarse: un worker de CPU calcula una tras otra.",
    sum: "Total",
    parts: {
      admission: "Validación",
      publish: "Envío a la cola",
      hold: "Espera de un lote más lleno",
      queue: "Espera de un worker",
      retry: "Reintentos",
      hop: "Saltos entre procesos",
      prepare: "Decodificación de imágenes",
      run: "Detección y embedding",
      answer: "Respuesta",
      gather: "Comparación",
      unaccounted: "Sin medir",
      network: "Red y navegador",
    },
  },
  camera: {
    denied:
      "El navegador no permite que esta página use la cámara. Permítalo en la barra de direcciones y vuelva a abrirla.",
    missing: "No se encontró ninguna cámara. Elija un archivo.",
    busy: "No se pudo abrir la cámara: quizá la use otro programa. Elija un archivo.",
  },
  card: {
    none: "Este modelo no se ha medido aquí.",
    label: "Tasas de error por condición",
    sentence: (card) =>
      `Medido el ${card.on} por ${card.by} con ${card.lane}, en ${card.images} imágenes de ${card.people} personas ` +
      `(${card.source}). Entre paréntesis: intervalos del 95 %. Otras personas y cámaras dan otras tasas.`,
    head: [
      "Una imagen del par",
      "Sin cara",
      "Misma persona rechazada (FNMR)",
      "Dos personas tomadas por una (FMR)",
    ],
    rate: (value, low, high) => `${value} % (${low} a ${high})`,
    cost: (ms, processor, memory) =>
      `${ms} ms de tiempo de CPU por cara en un hilo (${processor}), ${memory} MiB.`,
  },
};
