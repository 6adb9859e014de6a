-- Hashes of texts, equal to those of the service. A generated column of prompts uses this function: its
-- result must never change.

create or replace function sha256_hex(content text) returns text
language plpgsql immutable strict parallel safe as $$
begin
  return encode(sha256(convert_to(content, 'UTF8')), 'hex');
end $$;
