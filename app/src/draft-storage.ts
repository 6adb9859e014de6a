/** What someone has written and not sent, and when. */
export type Draft = { value: unknown; kept_at: string };

export type DraftStorage = {
  read(person: number, thing: string): Draft | undefined;
  /** Answers whether the browser keeps it: it may have no room, or keep nothing at all. */
  write(person: number, thing: string, value: unknown): boolean;
  remove(person: number, thing: string): void;
  /** How many things that person has drafts of. */
  count(person: number): number;
  removeAll(person: number): void;
};

const keptForMs = 30 * 24 * 60 * 60 * 1000;

/**
 * Keeps drafts in the browser, so that they outlive a reload and the end of a sign-in. Each has its person in its key,
 * and is shown to nobody else; after 30 days it is forgotten.
 */
export function draftStorage(service: string, storage: () => Storage = () => localStorage): DraftStorage {
  const beginning = `draft of ${service} `;
  const keyOf = (person: number, thing: string) => `${beginning}${person} ${thing}`;
  const keys = (start: string) =>
    attempt(() => Object.keys(storage()), []).filter((key) => key.startsWith(start));
  const remove = (key: string) => attempt(() => storage().removeItem(key), undefined);
  const read = (key: string) => attempt(() => parsed(storage().getItem(key)), undefined);
  const forgetOld = () => {
    for (const key of keys(beginning))
      if (!(Date.parse(read(key)?.kept_at ?? "") > Date.now() - keptForMs)) remove(key);
  };
  forgetOld();
  return {
    read: (person, thing) => read(keyOf(person, thing)),
    write(person, thing, value) {
      const draft: Draft = { value, kept_at: new Date().toISOString() };
      const put = () => {
        storage().setItem(keyOf(person, thing), JSON.stringify(draft));
        return true;
      };
      return attempt(put, false);
    },
    remove: (person, thing) => remove(keyOf(person, thing)),
    count: (person) => keys(keyOf(person, "")).length,
    removeAll(person) {
      for (const key of keys(keyOf(person, ""))) remove(key);
    },
  };
}

/** A browser may refuse to keep anything, or have no room left. */
function attempt<Value>(work: () => Value, otherwise: Value): Value {
  try {
    return work();
  } catch {
    return otherwise;
  }
}

function parsed(text: string | null): Draft | undefined {
  const draft: Partial<Draft> | null = JSON.parse(text ?? "null");
  return draft && typeof draft.kept_at === "string"
    ? { value: draft.value, kept_at: draft.kept_at }
    : undefined;
}
