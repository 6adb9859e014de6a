import type { Schemas } from "learning-platform-client";
import { useCitedLocation, useScrollToCitedProps } from "../content/cited-location.tsx";
import { t } from "../texts.ts";
import type { SignedFileUrl } from "./file-url-cache.ts";
import { formatFileSize } from "./size.ts";
import { useRenewableMediaUrl, useSignedFileUrl } from "./use-signed-file-url.ts";

type Summary = Pick<Schemas["FileSummary"], "id" | "name" | "size" | "media_type" | "state" | "is_erased">;

export function UploadedFileList({
  files,
  label = t("upload.list"),
}: {
  files: readonly Summary[];
  label?: string;
}) {
  if (files.length === 0) return null;
  return (
    <ul class="files" aria-label={label}>
      {files.map((file) => (
        <li key={file.id}>
          <SummedUp file={file} />
        </li>
      ))}
    </ul>
  );
}

function SummedUp({ file: { id, name, size, state, is_erased } }: { file: Summary }) {
  if (is_erased) return <Absent name={t("file.erased", { size: formatFileSize(size) })} />;
  if (state === "REFUSED") return <Absent name={name ?? ""} why={t("file.refused")} />;
  if (state === "CHECKING") return <Absent name={name ?? ""} why={t("upload.CHECKING")} />;
  return <UploadedFileView id={id} name={name ?? undefined} />;
}

const Absent = ({ name, why }: { name: string; why?: string }) => (
  <p class="quiet">
    <bdi>{name}</bdi>
    {name && why && " · "}
    {why}
  </p>
);

type OwnFileProps = {
  id: number;
  /** Replaces the uploaded name. */
  name?: string | undefined;
  /** Alt text. Default: the name. */
  alt?: string;
};

/** An uploaded file: media is embedded, everything else is a download link. */
export function UploadedFileView({ id, name, alt }: OwnFileProps) {
  const address = useSignedFileUrl(id);
  const place = useCitedLocation().file;
  const cited = useScrollToCitedProps<HTMLElement>(place !== undefined && address?.name === place);
  if (address === undefined) return <Absent name={name ?? ""} why={t("loading")} />;
  if (address === null) return <Absent name={name ?? ""} why={t("file.absent")} />;
  const words = name || address.name;
  return (
    <figure class="file" {...cited}>
      <Media key={kindOf(address)} address={address} alt={alt ?? words} />
      <figcaption>
        <a href={address.url} target="_blank" rel="noopener noreferrer">
          <bdi>{words}</bdi>
        </a>{" "}
        <small>{formatFileSize(address.size)}</small>
      </figcaption>
    </figure>
  );
}

const kindOf = ({ media_type }: SignedFileUrl): string => media_type.split("/")[0] ?? "";

/** SVG may contain scripts, so it is not embedded. */
const isPicture = ({ media_type }: SignedFileUrl): boolean =>
  media_type.startsWith("image/") && !media_type.startsWith("image/svg");

function Media({ address, alt }: { address: SignedFileUrl; alt: string }) {
  if (isPicture(address)) return <PictureFromSignedUrl address={address} alt={alt} />;
  if (kindOf(address) === "video") return <Film address={address} label={alt} />;
  if (kindOf(address) === "audio") return <Sound address={address} label={alt} />;
  return null;
}

export function PictureFromSignedUrl({ address, alt }: { address: SignedFileUrl; alt: string }) {
  const { src, keep, failed, hasFailed } = useRenewableMediaUrl(address);
  if (hasFailed) return null;
  return <img src={src} alt={alt} loading="lazy" onLoad={keep} onError={failed} />;
}

function Film({ address, label }: { address: SignedFileUrl; label: string }) {
  const { src, keep, failed, hasFailed } = useRenewableMediaUrl(address);
  if (hasFailed) return null;
  return (
    // biome-ignore lint/a11y/useMediaCaption: user uploads have no captions
    <video
      controls
      preload="metadata"
      src={src}
      aria-label={label}
      onLoadedMetadata={keep}
      onError={failed}
    />
  );
}

function Sound({ address, label }: { address: SignedFileUrl; label: string }) {
  const { src, keep, failed, hasFailed } = useRenewableMediaUrl(address);
  if (hasFailed) return null;
  return (
    // biome-ignore lint/a11y/useMediaCaption: user uploads have no captions
    <audio
      controls
      preload="metadata"
      src={src}
      aria-label={label}
      onLoadedMetadata={keep}
      onError={failed}
    />
  );
}

/** A picture by file id, or a message if it is missing or not a picture. */
export function UploadedPictureById({ id, alt }: { id: number; alt: string }) {
  const address = useSignedFileUrl(id);
  if (address === undefined) return <div class="skeleton" />;
  return address && isPicture(address) ? (
    <PictureFromSignedUrl address={address} alt={alt} />
  ) : (
    <UploadedFileView id={id} />
  );
}

/** A small decorative picture next to a name. */
export function UploadedPictureThumbnail({ id }: { id: number }) {
  const address = useSignedFileUrl(id);
  return (
    <span class="thumbnail">
      {address && isPicture(address) && <PictureFromSignedUrl address={address} alt="" />}
    </span>
  );
}
