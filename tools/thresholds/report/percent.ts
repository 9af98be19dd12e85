/** A share as a percentage: two digits that count, more above 10%. */
export function percent(share: number): string {
  const hundredths = 100 * share;
  if (hundredths === 0 || hundredths === 100) return `${hundredths}%`;
  const digits = hundredths >= 10 ? 1 : Math.min(8, 1 - Math.floor(Math.log10(hundredths)));
  return `${Number(hundredths.toFixed(digits))}%`;
}
