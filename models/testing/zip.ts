import { crc32 } from "node:zlib";

/** A zip archive of uncompressed files, as a wheel is one. `claimed` replaces the sizes that it states. */
export function zipOf(files: Readonly<Record<string, Buffer>>, claimedBytes?: number): Buffer {
  const locals: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  for (const [path, bytes] of Object.entries(files)) {
    const name = Buffer.from(path);
    const header = commonHeader(bytes, name, claimedBytes);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), header, name, bytes]);
    const location = Buffer.alloc(14);
    // May be run, where a caller keeps the permissions.
    location.writeUInt32LE(0o100755 * 0x10000, 6);
    location.writeUInt32LE(offset, 10);
    entries.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x00"), header, location, name]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}

/** Fields that a file's header and its directory entry share: version to length of the extra field. */
function commonHeader(bytes: Buffer, name: Buffer, claimedBytes = bytes.length): Buffer {
  const header = Buffer.alloc(26);
  header.writeUInt16LE(20, 0);
  header.writeUInt16LE(0x21, 8);
  header.writeUInt32LE(crc32(bytes), 10);
  header.writeUInt32LE(claimedBytes, 14);
  header.writeUInt32LE(claimedBytes, 18);
  header.writeUInt16LE(name.length, 22);
  return header;
}
