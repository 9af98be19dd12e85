/**
 * Returns the Clopper-Pearson interval of a rate: the true rate is in it with a probability of at least 95%,
 * 2.5% on each side. `trials` are independent; neither number need be whole.
 */
export const clopperPearson = (count: Count): Interval => ({ low: lowerEnd(count), high: upperEnd(count) });

/**
 * Returns the rate that the true one is not above, with a confidence of 95% on this side alone. Without an
 * error it is about 3 / trials, the rule of three.
 */
export const upperBound = (count: Count): number => upperEnd(count, 0.05);

/** Returns the least number of independent trials that, without an error, show a rate of at most `rate`. */
export const trialsToShow = (rate: number): number => Math.ceil(Math.log(0.05) / Math.log1p(-rate));

/**
 * Returns the factor by which independent observations count less because their variance was estimated from
 * few clusters: the square of the ratio of the 97.5% quantiles of the normal and of Student's distribution
 * (Korn and Graubard, 1998).
 */
export function fewClustersFactor(clusters: number): number {
  const freedom = clusters - 1;
  if (freedom < 1) return 0;
  const squaredT = freedom * (1 / betaQuantile(0.05, { a: freedom / 2, b: 0.5 }) - 1);
  return 1.959964 ** 2 / squaredT;
}

const lowerEnd = ({ errors, trials }: Count): number =>
  errors <= 0 ? 0 : betaQuantile(0.025, { a: errors, b: trials - errors + 1 });

const upperEnd = ({ errors, trials }: Count, tail = 0.025): number =>
  errors >= trials ? 1 : betaQuantile(1 - tail, { a: errors + 1, b: trials - errors });

/** Returns the value below which a share of a beta distribution lies, by bisection. */
export function betaQuantile(share: number, shape: BetaShape): number {
  let [low, high] = [0, 1];
  // Rates may be small: as many steps as there are bits down to 1e-18.
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (betaShareBelow(middle, shape) < share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The regularized incomplete beta function (Numerical Recipes, 3rd edition, 6.4). */
function betaShareBelow(x: number, { a, b }: BetaShape): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const logFront = logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x);
  const front = Math.exp(logFront);
  // The continued fraction converges fast on this side only.
  if (x < (a + 1) / (a + b + 2)) return (front * continuedFraction(x, { a, b })) / a;
  return 1 - (front * continuedFraction(1 - x, { a: b, b: a })) / b;
}

/** Lentz's method. */
function continuedFraction(x: number, { a, b }: BetaShape): number {
  const nonZero = (value: number) => (Math.abs(value) < 1e-300 ? 1e-300 : value);
  let c = 1;
  let d = 1 / nonZero(1 - ((a + b) * x) / (a + 1));
  let product = d;
  for (let m = 1; m <= fractionTermsMax; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / nonZero(1 + even * d);
    c = nonZero(1 + even / c);
    product *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / nonZero(1 + odd * d);
    c = nonZero(1 + odd / c);
    product *= d * c;
    if (Math.abs(d * c - 1) < 1e-14) return product;
  }
  return product;
}

/** Lanczos' approximation, with the coefficients of Numerical Recipes. */
function logGamma(x: number): number {
  const shifted = x + 5.2421875;
  let sum = 0.9999999999999971;
  for (const [index, coefficient] of lanczos.entries()) sum += coefficient / (x + 1 + index);
  return (x + 0.5) * Math.log(shifted) - shifted + Math.log((2.5066282746310007 * sum) / x);
}

// biome-ignore format: a table
const lanczos = [
  57.15623566586292, -59.59796035547549, 14.136097974741746, -0.4919138160976202,
  3.399464998481189e-5, 4.652362892704858e-5, -9.837447530487956e-5, 0.0001580887032249125,
  -0.00021026444172410488, 0.00021743961811521265, -0.0001643181065367639, 8.441822398385275e-5,
  -2.6190838401581408e-5, 3.6899182659531625e-6,
];

/** Enough for ten million trials: the terms grow with the root of the shapes. */
const fractionTermsMax = 20_000;

type BetaShape = { a: number; b: number };
/** Errors among independent trials. */
export type Count = { errors: number; trials: number };
export type Interval = { low: number; high: number };
