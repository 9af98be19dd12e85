import type { Words } from "./language.ts";

// What the pages for visitors say in Spanish, in the polite form.

export { tester, homePage } from "./tester-es.ts";

export const copying: Words["copying"] = {
  copy: "Copiar",
  copied: "Copiado",
  refused: "No permitido",
};

export const siteFrame: Words["siteFrame"] = {
  skip: "Ir al contenido",
  main: "Principal",
  account: "Cuenta",
  tester: "Demo",
  docs: "Documentación",
  reference: "Referencia",
  waitlist: "Lista de espera",
  signIn: "Iniciar sesión",
  signOut: "Cerrar sesión",
  signedInAs: (email) => `Sesión iniciada como ${email}`,
  dashboard: "Panel",
  admin: "Administración",
  theme: "Cambiar el tema",
  changelog: "Cambios",
  openApi: "Documento OpenAPI",
  typeface: "Tipografía: Geist, bajo la",
  oneCookie: "Estas páginas no cargan nada de otros sitios. La única cookie se crea al iniciar sesión.",
  noCookies: "Estas páginas no usan cookies ni cargan nada de otros sitios.",
};

export const missingPage: Words["missingPage"] = {
  title: "Página no encontrada",
  description: "No hay ninguna página en esta dirección.",
  detail: "Puede que se haya movido o que la dirección contenga un error.",
  tester: "[La demo](/) compara dos imágenes.",
  docs: "[La documentación](/docs) contiene una guía de inicio rápido y la referencia (en inglés).",
  quickStart: "[La guía de inicio rápido](/docs/quick-start) lleva a la primera solicitud (en inglés).",
};

export const waitlist: Words["waitlist"] = {
  title: "Unirse a la lista de espera",
  description: "Solicitar una clave de API para este servicio.",
  lead: "Solicite acceso a la API. El operador revisa todas las solicitudes.",
  email: "Correo electrónico",
  emailHint: "Solo para su enlace de acceso. Si el servicio no envía correos, se lo facilita el operador.",
  team: "Equipo o empresa",
  purpose: "¿Para qué quiere usar la API?",
  purposeHint: "Opcional. Dos frases ayudan a decidir.",
  submit: "Unirse a la lista de espera",
  retention:
    "Solo el operador lee estos datos. Su texto y su dirección de red se borran tras la decisión; se conservan su correo electrónico y la fecha. Para corregir sus datos, envíe el formulario de nuevo: el operador ve el primer texto y el más reciente.",
  wrongEmail: "Esto no es una dirección de correo electrónico. Ejemplo: nombre@example.org",
  wrongTeam: "Escriba un nombre de 1 a 64 caracteres.",
  wrongPurpose: "Escriba 900 caracteres de texto sin formato como máximo.",
  joined: "Está en la lista de espera",
  joinedLead:
    "El operador revisa todas las solicitudes. Cuando se apruebe la suya, recibirá un enlace de acceso por correo o del operador. Para corregir sus datos, [envíe el formulario de nuevo](/waitlist).",
  meanwhile: "Mientras tanto:",
  tester: "[La demo](/) compara dos imágenes sin clave.",
  quickStart:
    "[La guía de inicio rápido](/docs/quick-start) muestra cómo será su primera solicitud (en inglés).",
};

export const signIn: Words["signIn"] = {
  title: "Iniciar sesión",
  description: "Iniciar sesión con un enlace que recibirá por correo.",
  lead: "No hace falta contraseña: recibirá un enlace de acceso por correo.",
  email: "Correo electrónico",
  submit: "Enviarme un enlace de acceso",
  wrongEmail: waitlist.wrongEmail,
  leadWithoutMail: "No hace falta contraseña: se accede con un enlace que funciona una sola vez.",
  withoutMail:
    "Este servicio no envía correos. Pida al operador un enlace de acceso y ábralo en este navegador.",
  forOperators:
    "¿Administra este servicio? `npm run keys -- operator --email CORREO` muestra un enlace para usted.",
  noAccount: "¿Aún no tiene cuenta? [Únase a la lista de espera](/waitlist).",
  ended: "Ha cerrado la sesión o esta ha caducado. Inicie sesión para continuar.",
  signedOut: "Ha cerrado la sesión.",
  sent: "Revise su correo",
  sentLead: (hours) =>
    `Si este correo pertenece a una persona aprobada, un enlace de acceso está en camino. Es válido durante ${hoursText(hours)} y solo se puede usar una vez.`,
  sentNothing:
    "¿No ha llegado nada en unos minutos? Mire en la carpeta de spam o [solicite otro enlace](/sign-in).",
  sentUnknown: "¿Aún no tiene la aprobación? [Únase a la lista de espera](/waitlist).",
  openTitle: (team) => `Iniciar sesión: equipo ${team}`,
  openLead: (email) => `Con este enlace se inicia sesión como ${email}. Solo se puede usar una vez.`,
  openSubmit: "Iniciar sesión",
  openCookie: "Al iniciar sesión se crea una cookie, que se borra al cerrar sesión. El panel está en inglés.",
  alreadySignedIn: (email) =>
    `Ya ha iniciado sesión como ${email} y no necesita este enlace aquí. Guárdelo para otro navegador.`,
  toDashboard: "[Ir al panel](/dashboard)",
  toAdmin: "[Ir a la administración](/admin)",
  otherSession: (current, email) =>
    `En este navegador está abierta la sesión de ${current}. El botón la cierra e inicia la de ${email}. Para seguir como ${current}, salga de esta página: el enlace también funciona en otro navegador.`,
  dead: "Este enlace no funciona",
  deadLead: "Ya se ha usado, ha caducado, se ha cancelado o no se ha copiado entero.",
  deadNext: "Solicite un enlace nuevo. Lo recibirá por correo en unos minutos.",
  deadSubmit: "Solicitar un enlace nuevo",
  deadWithoutMail: "Pida un enlace de acceso nuevo al operador de este servicio.",
  signedInAs: siteFrame.signedInAs,
};

export const signInMail: Words["signInMail"] = {
  subject: "Su enlace de acceso a Faceline",
  text: (link, hours) => `Abra este enlace y pulse el botón para iniciar sesión en Faceline:

${link}

Es válido durante ${hoursText(hours)} y solo se puede usar una vez. Quien lo tenga puede iniciar sesión en su
nombre: no lo comparta. Si no lo ha solicitado, ignore este correo.
`,
};

export const refusals: Words["refusals"] = {
  foreign_form: {
    title: "Este formulario procede de otro sitio",
    detail:
      "Los formularios solo funcionan en las páginas de este servicio. No se ha cambiado nada. Abra la página aquí e inténtelo de nuevo.",
  },
  not_found: { title: missingPage.description, detail: missingPage.detail },
  revoked_key: {
    title: "Esta clave se ha revocado",
    detail: "Las solicitudes con ella se rechazan y ya no se puede modificar.",
  },
  no_person: {
    title: "Esta persona no existe",
    detail:
      "Se ha eliminado o la dirección contiene un error. «People» muestra a todas las personas que pueden iniciar sesión.",
  },
  unreadable_form: {
    title: "No se ha podido leer el formulario",
    detail: "No se ha cambiado nada. Vuelva atrás, recargue la página y envíe el formulario otra vez.",
  },
  too_many_tries: {
    title: "Demasiados intentos",
    detail: "Ha habido demasiados intentos en poco tiempo, desde su red o con este enlace.",
  },
  too_many_forms: {
    title: "Demasiados intentos",
    detail:
      "Ha habido demasiados intentos en poco tiempo, desde su red o con este correo electrónico. Sus datos no se han enviado.",
  },
  accounts_away: {
    title: "Ahora no es posible iniciar sesión",
    detail:
      "Las cuentas no están disponibles en este momento. La demo, la documentación y las solicitudes con clave siguen funcionando. No se ha cambiado nada; inténtelo de nuevo en un minuto.",
  },
  proxy_unknown: {
    title: "El inicio de sesión no está configurado",
    detail:
      "PUBLIC_URL indica https, pero esta solicitud llegó por HTTP sin cifrar y su navegador perdería la sesión. El operador debe indicar el proxy en TRUSTED_PROXIES y el proxy debe enviar X-Forwarded-Proto. Su enlace de acceso sigue siendo válido.",
  },
  waitlist_full: {
    title: "La lista de espera está llena",
    detail: "Ahora no se puede añadir a nadie desde su red. Inténtelo de nuevo mañana o desde otra red.",
  },
  failed: {
    title: "Algo ha salido mal",
    detail: "Es un fallo del servicio. Facilite al operador el ID de solicitud que aparece abajo.",
  },
};

export const refusalNotes: Words["refusalNotes"] = {
  retry: (minutes) => `Inténtelo de nuevo dentro de ${minutes <= 1 ? "un minuto" : `${minutes} minutos`}`,
  requestId: "ID de solicitud:",
  tester: "[La demo](/) compara dos imágenes sin cuenta.",
  quickStart: missingPage.quickStart,
  dashboard: "[Su panel](/dashboard)",
  admin: "[Administración](/admin)",
};

const hoursText = (hours: number): string => (hours === 1 ? "una hora" : `${hours} horas`);
