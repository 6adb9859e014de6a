import type { ComponentChildren } from "preact";

/** An outline of 24 by 24 units in the color of the text. */
const Icon = ({ children }: { children: ComponentChildren }) => (
  <svg
    class="icon"
    viewBox="0 0 24 24"
    width="18"
    height="18"
    fill="none"
    stroke="currentColor"
    stroke-width="2"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    {children}
  </svg>
);

export const MoreIcon = () => (
  <Icon>
    <path d="M5 12h.01M12 12h.01M19 12h.01" stroke-width="3.500" />
  </Icon>
);

export const CopyIcon = () => (
  <Icon>
    <path d="M9 9h11v11H9zM5 15H4V4h11v1" />
  </Icon>
);

export const CheckIcon = () => (
  <Icon>
    <path d="m5 13 5 5 9-11" />
  </Icon>
);

export const SpeakerIcon = () => (
  <Icon>
    <path d="M4 10v4h4l5 4V6l-5 4zM17 9a4 4 0 0 1 0 6M19.500 6.500a8 8 0 0 1 0 11" />
  </Icon>
);

export const CardIcon = () => (
  <Icon>
    <path d="M6 8h14v12H6zM3 16V4h13M13 11v6M10 14h6" />
  </Icon>
);

export const PencilIcon = () => (
  <Icon>
    <path d="m5 19 1-4L16 5l3 3L9 18zM14 7l3 3" />
  </Icon>
);

export const SendIcon = () => (
  <Icon>
    <path d="M12 20V5M5 12l7-7 7 7" />
  </Icon>
);

export const CloseIcon = () => (
  <Icon>
    <path d="M6 6l12 12M18 6 6 18" />
  </Icon>
);

export const DownIcon = () => (
  <Icon>
    <path d="M12 4v15M5 12l7 7 7-7" />
  </Icon>
);

export const StopIcon = () => (
  <Icon>
    <path d="M7 7h10v10H7z" fill="currentColor" />
  </Icon>
);
