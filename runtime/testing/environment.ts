/** Sets environment variables until the test has ended: OpenTelemetry's SDK reads its own by itself. */
export function setEnvironment(t: { after(end: () => void): void }, variables: Record<string, string>): void {
  Object.assign(process.env, variables);
  t.after(() => {
    for (const name of Object.keys(variables)) delete process.env[name];
  });
}
