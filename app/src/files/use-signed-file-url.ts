import { dataOf } from "learning-platform-client";
import { useEffect, useState } from "preact/hooks";
import { apiClient, tokenStore } from "../service.ts";
import { createSignedFileUrlCache, type SignedFileUrl } from "./file-url-cache.ts";

/** Batching window: components rendered together share one request. */
const gatherMs = 20;

const addresses = createSignedFileUrlCache(
  (ids) => dataOf(apiClient.getFileAddresses({ body: { ids, inline: true } })),
  (work) => void setTimeout(work, gatherMs),
);

const renewEveryMs = 30_000;

const renew = () => void (document.hidden || addresses.renew());

setInterval(renew, renewEveryMs);
document.addEventListener("visibilitychange", renew);
addEventListener("online", renew);
tokenStore.onChange(addresses.clear);

/** A file's signed URL and name. Null if it is not available to the user; undefined while it loads. */
export function useSignedFileUrl(id: number): SignedFileUrl | null | undefined {
  const [, draw] = useState(0);
  useEffect(() => addresses.watch(id, () => draw((count) => count + 1)), [id]);
  return addresses.addressOf(id);
}

/** Calls back with each signed URL of a file. Returns the function that stops. */
export function watchSignedFileUrl(id: number, show: (url: string) => void): () => void {
  const told = () => {
    const address = addresses.addressOf(id);
    if (address) show(address.url);
  };
  const stop = addresses.watch(id, told);
  told();
  return stop;
}

export type MediaUrlWithHandlers = {
  src: string;
  /** For `onLoad` or a film's equivalent: keeps the URL that the element is reading. */
  keep(): void;
  /** For `onError`: renews an expired URL. */
  failed(): void;
  hasFailed: boolean;
};

/** The URL for an element that must not reload when a new URL is signed. */
export function useRenewableMediaUrl({ id, url, expires_at }: SignedFileUrl): MediaUrlWithHandlers {
  const [kept, setKept] = useState<string>();
  const [failedAt, setFailedAt] = useState<string>();
  const src = kept ?? url;
  return {
    src,
    keep: () => setKept(src),
    failed() {
      setKept(undefined);
      if (src !== url) return;
      if (Date.parse(expires_at) <= Date.now()) addresses.ask(id);
      else setFailedAt(url);
    },
    hasFailed: failedAt === url,
  };
}
