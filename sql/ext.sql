-- Ext values in text.

SELECT f AS form, f::msgpack::bytea AS bytes, f::msgpack::text AS printed,
  msgpack_text(f::msgpack) AS readable, f::msgpack::text::msgpack::bytea = f::msgpack::bytea AS back
FROM unnest(ARRAY[
  'ext(5, h'''')', 'ext(5, h''00'')', 'ext(5, h''0001'')', 'ext(5, h''000102'')', 'ext(5, h''00010203'')',
  'ext(5, h''0001020304050607'')', 'ext(5, h''000102030405060708090a0b0c0d0e0f'')',
  'ext(0, h''00'')', 'ext(127, h''00'')', 'ext(-128, h''00'')', 'ext(-2, h''00'')',
  'ext( 7 , h''00'' )', 'ext(7,h`00`)', 'ext(7, ''abc'')', 'ext(7, b64''AP8='')',
  'ext(7, h''00'')_8', 'ext(7, h''00'')_16', 'ext(7, h''00'')_32', 'ext(7, h''000102'')_8',
  'ext(7, h''000102'')_16', '[ext(1, h''''), {ext(2, h''00''): ext(3, h''0000'')}]'
]) f;

-- lengths around every head
SELECT n, substr(e::bytea, 1, 6) AS head, octet_length(e::bytea) - n AS head_length,
  e::text::msgpack::bytea = e::bytea AS back
FROM unnest(ARRAY[0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 255, 256, 65535, 65536]) n,
  LATERAL (SELECT ('ext(9, h''' || repeat('ab', n) || ''')')::msgpack AS e) s;
