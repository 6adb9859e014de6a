import type { TokenStore, Tokens } from "learning-platform-client";

export type TokenStorage = TokenStore & {
  /** Called whenever a sign-in begins or ends, in this tab or in another. */
  onChange(listener: () => void): () => void;
};

/**
 * Keeps a sign-in in the browser, so that it outlives a reload and holds in every tab. Scripts of this page alone can
 * read it, and the page's policy lets no other script in.
 */
export function tokenStorage(service: string): TokenStorage {
  const key = `tokens of ${service}`;
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of listeners) listener();
  };
  addEventListener("storage", (event) => {
    if (event.key === key || event.key === null) tell();
  });
  return {
    read: () => parsed(localStorage.getItem(key)),
    write(tokens) {
      const before = this.read();
      if (tokens) localStorage.setItem(key, JSON.stringify(tokens));
      else localStorage.removeItem(key);
      if (Boolean(before) !== Boolean(tokens)) tell();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Keeps a sign-in for as long as the page is there: of a launch, whose page stands in a frame of an LMS. */
export function memoryTokens(): TokenStorage {
  let held: Tokens | undefined;
  const listeners = new Set<() => void>();
  return {
    read: () => held,
    write(tokens) {
      held = tokens ?? undefined;
      for (const listener of listeners) listener();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function parsed(text: string | null): Tokens | undefined {
  try {
    const tokens: Partial<Tokens> | null = JSON.parse(text ?? "null");
    return tokens?.access_token && tokens.refresh_token ? (tokens as Tokens) : undefined;
  } catch {
    return undefined;
  }
}
