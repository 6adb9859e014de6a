import { bounds, type Counted } from "./bounds.ts";
import type { DatabaseFunction, Definitions } from "./read.ts";

/** The numbers that bounds.ts limits, and what may be removed next. */
export function countsOf({ functions, triggers }: Definitions) {
  const most = (of: "lines" | "parameters") => Math.max(...functions.map((one) => one[of]));
  const limited: Record<Counted, number> = {
    functions: functions.length,
    triggers,
    longest: most("lines"),
    parameters: most("parameters"),
  };
  return { limited, candidates: candidatesOf(functions) };
}

export function boundsBroken(limited: Readonly<Record<Counted, number>>): string[] {
  return (Object.keys(bounds) as Counted[])
    .filter((counted) => limited[counted] > bounds[counted])
    .map((counted) => `${counted}: ${limited[counted]}, and at most ${bounds[counted]} are allowed`);
}

function candidatesOf(functions: readonly DatabaseFunction[]) {
  const own = functions.filter(({ isTriggers }) => !isTriggers);
  const callers = ({ inSql, inCode }: DatabaseFunction) => inSql.length + inCode.length;
  const reads = own.filter(({ changes }) => !changes);
  return {
    "called by no code": own.filter((one) => callers(one) === 0),
    "reads with one caller": reads.filter((one) => callers(one) === 1),
    "reads that only TypeScript calls": reads.filter(
      (one) => one.inSql.length === 0 && one.inCode.length > 1,
    ),
    "called from SQL only": own.filter((one) => one.inSql.length > 0 && one.inCode.length === 0),
    "writers with one caller in SQL": own.filter(
      (one) => one.changes && one.inSql.length === 1 && one.inCode.length === 0,
    ),
  } satisfies Record<string, DatabaseFunction[]>;
}
