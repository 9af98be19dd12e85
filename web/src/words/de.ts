import type { Words } from "./language.ts";

// What the pages for visitors say in German, in the polite form.

export { tester, homePage } from "./tester-de.ts";

export const copying: Words["copying"] = {
  copy: "Kopieren",
  copied: "Kopiert",
  refused: "Nicht erlaubt",
};

export const siteFrame: Words["siteFrame"] = {
  skip: "Zum Inhalt springen",
  main: "Hauptnavigation",
  account: "Konto",
  tester: "Demo",
  docs: "Dokumentation",
  reference: "Referenz",
  waitlist: "Warteliste",
  signIn: "Anmelden",
  signOut: "Abmelden",
  signedInAs: (email) => `Angemeldet als ${email}`,
  dashboard: "Dashboard",
  admin: "Verwaltung",
  theme: "Farbschema wechseln",
  changelog: "Änderungen",
  openApi: "OpenAPI-Dokument",
  typeface: "Schrift: Geist, unter der",
  oneCookie:
    "Diese Seiten laden nichts von anderen Websites. Das einzige Cookie wird bei der Anmeldung gesetzt.",
  noCookies: "Diese Seiten setzen keine Cookies und laden nichts von anderen Websites.",
};

export const missingPage: Words["missingPage"] = {
  title: "Seite nicht gefunden",
  description: "Unter dieser Adresse gibt es keine Seite.",
  detail: "Sie wurde verschoben, oder die Adresse enthält einen Tippfehler.",
  tester: "[Die Demo](/) vergleicht zwei Bilder.",
  docs: "[Die Dokumentation](/docs) hat einen Schnelleinstieg und die Referenz (auf Englisch).",
  quickStart: "[Der Schnelleinstieg](/docs/quick-start) führt zur ersten Anfrage (auf Englisch).",
};

export const waitlist: Words["waitlist"] = {
  title: "In die Warteliste eintragen",
  description: "Einen API-Schlüssel für diesen Dienst anfordern.",
  lead: "Fordern Sie Zugang zur API an. Der Betreiber prüft jede Anfrage.",
  email: "E-Mail-Adresse",
  emailHint: "Nur für Ihren Anmeldelink. Versendet der Dienst keine E-Mails, erhalten Sie ihn vom Betreiber.",
  team: "Team oder Firma",
  purpose: "Wofür möchten Sie die API nutzen?",
  purposeHint: "Freiwillig. Zwei Sätze erleichtern die Entscheidung.",
  submit: "In die Warteliste eintragen",
  retention:
    "Nur der Betreiber liest diese Angaben. Ihr Text und Ihre Netzwerkadresse werden nach der Entscheidung gelöscht; Ihre E-Mail-Adresse und das Datum bleiben gespeichert. Um Angaben zu korrigieren, senden Sie das Formular noch einmal: Der Betreiber sieht den ersten und den neuesten Text.",
  wrongEmail: "Das ist keine E-Mail-Adresse. Beispiel: name@example.org",
  wrongTeam: "Geben Sie einen Namen mit 1 bis 64 Zeichen ein.",
  wrongPurpose: "Geben Sie höchstens 900 Zeichen reinen Text ein.",
  joined: "Sie stehen auf der Warteliste",
  joinedLead:
    "Der Betreiber prüft jede Anfrage. Nach der Freigabe erhalten Sie einen Anmeldelink, per E-Mail oder vom Betreiber. Um Angaben zu korrigieren, [senden Sie das Formular noch einmal](/waitlist).",
  meanwhile: "In der Zwischenzeit:",
  tester: "[Die Demo](/) vergleicht zwei Bilder ohne Schlüssel.",
  quickStart:
    "[Der Schnelleinstieg](/docs/quick-start) zeigt, wie Ihre erste Anfrage aussehen wird (auf Englisch).",
};

export const signIn: Words["signIn"] = {
  title: "Anmelden",
  description: "Anmelden mit einem Link, den Sie per E-Mail erhalten.",
  lead: "Ein Passwort ist nicht nötig: Sie erhalten einen Anmeldelink per E-Mail.",
  email: "E-Mail-Adresse",
  submit: "Anmeldelink anfordern",
  wrongEmail: waitlist.wrongEmail,
  leadWithoutMail:
    "Ein Passwort ist nicht nötig: Sie melden sich mit einem Link an, der nur einmal funktioniert.",
  withoutMail:
    "Dieser Dienst versendet keine E-Mails. Bitten Sie den Betreiber um einen Anmeldelink und öffnen Sie ihn in diesem Browser.",
  forOperators:
    "Sie betreiben diesen Dienst? `npm run keys -- operator --email ADRESSE` gibt einen Link für Sie aus.",
  noAccount: "Noch kein Konto? [Tragen Sie sich in die Warteliste ein](/waitlist).",
  ended: "Sie sind abgemeldet, oder Ihre Sitzung ist abgelaufen. Melden Sie sich an, um fortzufahren.",
  signedOut: "Sie sind abgemeldet.",
  sent: "Prüfen Sie Ihr Postfach",
  sentLead: (hours) =>
    `Gehört diese E-Mail-Adresse zu einer freigegebenen Person, ist ein Anmeldelink unterwegs. Er ist ${hoursText(hours)} gültig und kann nur einmal verwendet werden.`,
  sentNothing:
    "Nach einigen Minuten nichts erhalten? Sehen Sie im Spam-Ordner nach, oder [fordern Sie einen neuen Link an](/sign-in).",
  sentUnknown: "Noch nicht freigegeben? [Tragen Sie sich in die Warteliste ein](/waitlist).",
  openTitle: (team) => `Bei ${team} anmelden`,
  openLead: (email) => `Dieser Link meldet ${email} an. Er kann nur einmal verwendet werden.`,
  openSubmit: "Anmelden",
  openCookie:
    "Bei der Anmeldung wird ein Cookie gesetzt. Es wird gelöscht, wenn Sie sich abmelden. Das Dashboard ist auf Englisch.",
  alreadySignedIn: (email) =>
    `Sie sind bereits als ${email} angemeldet und brauchen diesen Link hier nicht. Heben Sie ihn für einen anderen Browser auf.`,
  toDashboard: "[Zum Dashboard](/dashboard)",
  toAdmin: "[Zur Verwaltung](/admin)",
  otherSession: (current, email) =>
    `In diesem Browser ist ${current} angemeldet. Die Schaltfläche beendet diese Sitzung und meldet ${email} an. Um als ${current} angemeldet zu bleiben, verlassen Sie diese Seite: Der Link funktioniert auch in einem anderen Browser.`,
  dead: "Dieser Link funktioniert nicht",
  deadLead: "Er wurde bereits verwendet, ist abgelaufen, wurde widerrufen oder nicht vollständig kopiert.",
  deadNext: "Fordern Sie einen neuen Link an. Sie erhalten ihn in wenigen Minuten per E-Mail.",
  deadSubmit: "Neuen Anmeldelink anfordern",
  deadWithoutMail: "Bitten Sie den Betreiber dieses Dienstes um einen neuen Anmeldelink.",
  signedInAs: siteFrame.signedInAs,
};

export const signInMail: Words["signInMail"] = {
  subject: "Ihr Anmeldelink für Faceline",
  text: (
    link,
    hours,
  ) => `Öffnen Sie diesen Link und klicken Sie auf die Schaltfläche, um sich bei Faceline anzumelden:

${link}

Er ist ${hoursText(hours)} gültig und kann nur einmal verwendet werden. Wer ihn hat, kann sich in Ihrem Namen
anmelden: Geben Sie ihn nicht weiter. Haben Sie ihn nicht angefordert, ignorieren Sie diese E-Mail.
`,
};

export const refusals: Words["refusals"] = {
  foreign_form: {
    title: "Dieses Formular kam von einer anderen Website",
    detail:
      "Formulare funktionieren nur auf den Seiten dieses Dienstes. Es wurde nichts geändert. Öffnen Sie die Seite hier und versuchen Sie es erneut.",
  },
  not_found: { title: missingPage.description, detail: missingPage.detail },
  revoked_key: {
    title: "Dieser Schlüssel wurde widerrufen",
    detail: "Anfragen mit ihm werden abgelehnt, und er kann nicht mehr geändert werden.",
  },
  no_person: {
    title: "Diese Person gibt es nicht",
    detail:
      "Sie wurde entfernt, oder die Adresse enthält einen Tippfehler. „People“ listet alle auf, die sich anmelden dürfen.",
  },
  unreadable_form: {
    title: "Das Formular konnte nicht gelesen werden",
    detail:
      "Es wurde nichts geändert. Gehen Sie zurück, laden Sie die Seite neu und senden Sie das Formular noch einmal.",
  },
  too_many_tries: {
    title: "Zu viele Versuche",
    detail: "In kurzer Zeit gab es zu viele Versuche, aus Ihrem Netzwerk oder für diesen Link.",
  },
  too_many_forms: {
    title: "Zu viele Versuche",
    detail:
      "In kurzer Zeit gab es zu viele Versuche, aus Ihrem Netzwerk oder für diese E-Mail-Adresse. Ihre Eingabe wurde nicht gesendet.",
  },
  accounts_away: {
    title: "Die Anmeldung ist zurzeit nicht möglich",
    detail:
      "Konten sind im Moment nicht verfügbar. Die Demo, die Dokumentation und Anfragen mit Schlüssel funktionieren weiterhin. Es wurde nichts geändert; versuchen Sie es in einer Minute erneut.",
  },
  proxy_unknown: {
    title: "Die Anmeldung ist nicht eingerichtet",
    detail:
      "PUBLIC_URL nennt https, diese Anfrage kam jedoch über unverschlüsseltes HTTP, sodass Ihr Browser die Sitzung verlieren würde. Der Betreiber muss den Proxy in TRUSTED_PROXIES nennen, und der Proxy muss X-Forwarded-Proto senden. Ihr Anmeldelink gilt weiterhin.",
  },
  waitlist_full: {
    title: "Die Warteliste ist voll",
    detail:
      "Aus Ihrem Netzwerk kann derzeit niemand hinzukommen. Versuchen Sie es morgen erneut, oder aus einem anderen Netzwerk.",
  },
  failed: {
    title: "Etwas ist schiefgelaufen",
    detail: "Dies ist ein Fehler des Dienstes. Nennen Sie dem Betreiber die Anfrage-ID unten.",
  },
};

export const refusalNotes: Words["refusalNotes"] = {
  retry: (minutes) => `Versuchen Sie es in ${minutes <= 1 ? "einer Minute" : `${minutes} Minuten`} erneut`,
  requestId: "Anfrage-ID:",
  tester: "[Die Demo](/) vergleicht zwei Bilder ohne Konto.",
  quickStart: missingPage.quickStart,
  dashboard: "[Ihr Dashboard](/dashboard)",
  admin: "[Verwaltung](/admin)",
};

const hoursText = (hours: number): string => (hours === 1 ? "eine Stunde" : `${hours} Stunden`);
