const everyMs = 60_000;

type Tally<Details> = { count: number; details: Details };

/** Logs a new kind of event immediately, then each minute the latest event per kind with its count. */
export function createThrottledLog<Details>(write: (details: Details, count: number) => void) {
  const tallies = new Map<string, Tally<Details>>();

  const writeLater = (kind: string, tally: Tally<Details>): void => {
    setTimeout(() => {
      if (tally.count === 0) return void tallies.delete(kind);
      write(tally.details, tally.count);
      tally.count = 0;
      writeLater(kind, tally);
    }, everyMs).unref();
  };

  return (kind: string, details: Details): void => {
    const tally = tallies.get(kind);
    if (tally) {
      tally.count += 1;
      tally.details = details;
      return;
    }
    write(details, 1);
    const first = { count: 0, details };
    tallies.set(kind, first);
    writeLater(kind, first);
  };
}
