export type Ids = (code: string) => number;

export function idsOf(rows: readonly { id: number; code: string }[]): Ids {
  const ids = new Map(rows.map(({ id, code }) => [code, id]));
  return (code) => {
    const id = ids.get(code);
    if (id === undefined) throw new Error(`The demonstration refers to ${code}, which is not there`);
    return id;
  };
}

/** The id of a statement's only row. */
export function idOf(rows: readonly { id: number }[]): number {
  const [row] = rows;
  if (!row) throw new Error("The demonstration expected a row");
  return row.id;
}
