// Writes instants and numbers as the reader's browser does. Without scripts they are in UTC and in English.

const instants = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const numbers = new Intl.NumberFormat();
const shares = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 });

for (const time of document.querySelectorAll("time")) {
  time.title = time.textContent;
  time.textContent = instants.format(new Date(time.dateTime));
}

for (const data of document.querySelectorAll("data")) {
  data.textContent = (data.className === "share" ? shares : numbers).format(Number(data.value));
}
