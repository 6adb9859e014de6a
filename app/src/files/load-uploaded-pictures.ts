import { watchSignedFileUrl } from "./use-signed-file-url.ts";

/** Loads the uploaded pictures of rendered Markdown. Returns the function that stops. */
export function loadUploadedPicturesIn(box: HTMLElement): () => void {
  const stops = [...box.querySelectorAll<HTMLImageElement>("img[data-file]")].map((picture) =>
    watchSignedFileUrl(Number(picture.dataset["file"]), (url) => {
      // A picture that is shown needs no new address.
      if (picture.naturalWidth === 0) picture.src = url;
    }),
  );
  return () => {
    for (const stop of stops) stop();
  };
}
