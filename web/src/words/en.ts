// What the pages for visitors say in English. `./linked-text.ts` has the syntax of links.

export { tester, homePage } from "./tester-en.ts";

/** Buttons that copy. */
export const copying = { copy: "Copy", copied: "Copied", refused: "Not allowed" };

/** Header and footer. */
export const siteFrame = {
  skip: "Skip to content",
  main: "Main",
  account: "Account",
  tester: "Tester",
  docs: "Docs",
  reference: "Reference",
  waitlist: "Waitlist",
  signIn: "Sign in",
  signOut: "Sign out",
  signedInAs: (email: string) => `Signed in as ${email}`,
  dashboard: "Dashboard",
  admin: "Admin",
  theme: "Change the theme",
  changelog: "Changelog",
  openApi: "OpenAPI document",
  typeface: "Typeface: Geist, under the",
  oneCookie: "These pages load nothing from other sites. Signing in sets the only cookie.",
  noCookies: "These pages set no cookies and load nothing from other sites.",
};

export const missingPage = {
  title: "Page not found",
  description: "There is no page at this address.",
  detail: "It may have moved, or the address has a typo.",
  tester: "[The tester](/) compares two images.",
  docs: "[The documentation](/docs) has a quick start and the reference.",
  quickStart: "[The quick start](/docs/quick-start) leads to your first request.",
};

export const waitlist = {
  title: "Join the waitlist",
  description: "Request an API key for this service.",
  lead: "Request access to the API. The operator reviews every request.",
  email: "Email",
  emailHint: "Used only for your sign-in link. If this service sends no mail, you get it from the operator.",
  team: "Team or company",
  purpose: "What do you want to use it for?",
  purposeHint: "Optional. Two sentences help with the decision.",
  submit: "Join the waitlist",
  retention:
    "Only the operator reads this. Your text and network address are deleted after the decision; your email and the date are kept. To correct your entry, send the form again: the operator sees your first and your latest text.",
  wrongEmail: "This is not an email address. Example: name@example.org",
  wrongTeam: "Enter a name of 1 to 64 characters.",
  wrongPurpose: "Enter at most 900 characters of plain text.",
  joined: "You are on the waitlist",
  joinedLead:
    "The operator reviews every request. Once you are approved, you get a sign-in link by mail or from the operator. To correct your entry, [send the form again](/waitlist).",
  meanwhile: "In the meantime:",
  tester: "[The tester](/) compares two images without a key.",
  quickStart: "[The quick start](/docs/quick-start) shows what your first request will look like.",
};

export const signIn = {
  title: "Sign in",
  description: "Sign in with a link that is sent to you by mail.",
  lead: "No password needed: you get a sign-in link by mail.",
  email: "Email",
  submit: "Send me a sign-in link",
  wrongEmail: waitlist.wrongEmail,
  leadWithoutMail: "No password needed: you sign in with a link that works once.",
  withoutMail:
    "This service sends no mail. Ask the operator for a sign-in link, and open it in this browser.",
  forOperators: "Do you run this service? `npm run keys -- operator --email YOU` prints a link for you.",
  noAccount: "No account yet? [Join the waitlist](/waitlist).",
  ended: "You are signed out, or your session has ended. Sign in to continue.",
  signedOut: "You are signed out.",
  sent: "Check your mail",
  sentLead: (hours: number) =>
    `If this email belongs to an approved person, a sign-in link is on its way. It works once, within ${hoursText(hours)}.`,
  sentNothing: "Nothing after a few minutes? Check your spam folder, or [request another link](/sign-in).",
  sentUnknown: "Not approved yet? [Join the waitlist](/waitlist).",
  openTitle: (team: string) => `Sign in: team ${team}`,
  openLead: (email: string) => `This link signs in ${email}. It works once.`,
  openSubmit: "Sign in",
  openCookie: "Signing in sets one cookie, which is removed when you sign out.",
  alreadySignedIn: (email: string) =>
    `You are already signed in as ${email} and do not need this link here. Keep it for another browser.`,
  toDashboard: "[Go to your dashboard](/dashboard)",
  toAdmin: "[Go to the admin pages](/admin)",
  otherSession: (current: string, email: string) =>
    `This browser is signed in as ${current}. The button ends that session and signs in ${email}. To stay signed in as ${current}, leave this page: the link also works in another browser.`,
  dead: "This link does not work",
  deadLead: "It was used already, has expired, was cancelled, or was not copied completely.",
  deadNext: "Request a new link. It arrives by mail within minutes.",
  deadSubmit: "Get a new sign-in link",
  deadWithoutMail: "Ask the operator of this service for a new sign-in link.",
  signedInAs: siteFrame.signedInAs,
};

/** The mail with a sign-in link. */
export { signInMail } from "@faceline/accounts/mail/sign-in-mail";

/** Pages of requests that were refused. */
export const refusals = {
  foreign_form: {
    title: "This form came from another site",
    detail:
      "Forms work only on the pages of this service. Nothing was changed. Open the page here and retry.",
  },
  not_found: { title: missingPage.description, detail: missingPage.detail },
  revoked_key: {
    title: "This key was revoked",
    detail: "Requests with it are refused, and it can no longer be changed.",
  },
  no_person: {
    title: "There is no such person",
    detail: "They were removed, or the address has a typo. People lists everybody who may sign in.",
  },
  unreadable_form: {
    title: "The form could not be read",
    detail: "Nothing was changed. Go back, reload the page, and send the form again.",
  },
  too_many_tries: {
    title: "Too many attempts",
    detail: "There were too many attempts in a short time, from your network or for this link.",
  },
  too_many_forms: {
    title: "Too many attempts",
    detail:
      "There were too many attempts in a short time, from your network or for this email. Your entry was not sent.",
  },
  accounts_away: {
    title: "Signing in is not possible right now",
    detail:
      "Accounts are unavailable at the moment. The tester, the documentation and requests with a key still work. Nothing was changed; retry in a minute.",
  },
  proxy_unknown: {
    title: "Signing in is not set up",
    detail:
      "PUBLIC_URL says https, but this request came over plain HTTP, so your browser would lose the session. The operator must name the proxy in TRUSTED_PROXIES, and the proxy must send X-Forwarded-Proto. Your sign-in link still works.",
  },
  waitlist_full: {
    title: "The waitlist is full",
    detail: "Nobody can be added from your network right now. Retry tomorrow, or from another network.",
  },
  failed: {
    title: "Something went wrong",
    detail: "This is a fault of the service. Send the request ID below to the operator.",
  },
};

/** What stands below each refusal. */
export const refusalNotes = {
  retry: (minutes: number) => `Retry in ${minutes <= 1 ? "a minute" : `${minutes} minutes`}`,
  requestId: "Request ID:",
  tester: "[The tester](/) compares two images without an account.",
  quickStart: missingPage.quickStart,
  dashboard: "[Your dashboard](/dashboard)",
  admin: "[The admin pages](/admin)",
};

const hoursText = (hours: number): string => (hours === 1 ? "one hour" : `${hours} hours`);
