/** Unsent input, and when it was saved. */
export type StoredDraft = { value: unknown; kept_at: string };

export type DraftStorage = {
  read(person: number, thing: string): StoredDraft | undefined;
  /** Returns false if the browser has no room or storage is disabled. */
  write(person: number, thing: string, value: unknown): boolean;
  remove(person: number, thing: string): void;
  /** Number of the person's drafts. */
  count(person: number): number;
  removeAll(person: number): void;
};

const keptForMs = 30 * 24 * 60 * 60 * 1000;

/**
 * Stores drafts in the browser across reloads and sign-outs. The key includes the person, so other users
 * cannot see them. Drafts expire after 30 days.
 */
export function createDraftStorage(
  service: string,
  storage: () => Storage = () => localStorage,
): DraftStorage {
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
      const draft: StoredDraft = { value, kept_at: new Date().toISOString() };
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

/** Storage may be disabled or full. */
function attempt<Value>(work: () => Value, otherwise: Value): Value {
  try {
    return work();
  } catch {
    return otherwise;
  }
}

function parsed(text: string | null): StoredDraft | undefined {
  const draft: Partial<StoredDraft> | null = JSON.parse(text ?? "null");
  return draft && typeof draft.kept_at === "string"
    ? { value: draft.value, kept_at: draft.kept_at }
    : undefined;
}
