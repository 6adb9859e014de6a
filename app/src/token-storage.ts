import type { TokenStore, Tokens } from "learning-platform-client";

export type TokenStorage = TokenStore & {
  /** Called on sign-in and sign-out, in this tab or another. */
  onChange(listener: () => void): () => void;
};

/**
 * Stores tokens in the browser across reloads and tabs. Only this page's scripts can read them, and the CSP
 * allows no others.
 */
export function createBrowserTokenStorage(service: string): TokenStorage {
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

/** Keeps tokens in memory, for the framed page of an LTI launch. */
export function createMemoryTokenStorage(): TokenStorage {
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
