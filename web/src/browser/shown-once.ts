// A page that shows a secret once, as the response to a form: a reload would otherwise send the form again.
// It shows what the page names instead.

const page = document.querySelector<HTMLElement>("[data-reload]");
if (page !== null) history.replaceState(null, "", page.dataset["reload"]);
