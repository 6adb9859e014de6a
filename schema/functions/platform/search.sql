-- List search and name order ignore letter case, accents and punctuation.
--
-- Locks: none. Generated columns use these functions without a search path, so their bodies are bound at
-- creation.

-- Lower case without accents: "Søren MÜLLER" is "soren muller".
create or replace function folded(said text) returns text language sql immutable parallel safe
  return translate(
    lower(normalize(regexp_replace(normalize(said, nfd), '[\u0300-\u036f]', '', 'g'), nfc)), 'øłđħıß', 'oldhis');

-- The folded words of a text, with single spaces between and one in front: " ee 101 signals".
create or replace function searched(said text) returns text language sql immutable parallel safe
  return regexp_replace(' ' || folded(said), '[\s!-/:-@\[-`{-~´’]+', ' ', 'g');
