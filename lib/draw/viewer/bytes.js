// SPDX-License-Identifier: MIT
//
// The elements of base64 in the picture to bytes. They are taken one after the other, so that the page
// stays alive while a large profile is unpacked.

function bytesOfBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text.replace(/\s/g, "")), bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

function joinBytes(parts) {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

// The elements are emptied: their text is not needed twice.
function takeBytes(element) {
  const bytes = bytesOfBase64(element.textContent);
  element.remove();
  return bytes;
}

async function unpackBytes(elements) {
  if (typeof DecompressionStream === "undefined")
    return inflate(joinBytes(elements.map(takeBytes)));
  const packed = new ReadableStream({
    pull(controller) {
      if (elements.length) controller.enqueue(takeBytes(elements.shift()));
      else controller.close();
    }
  });
  const reader = packed.pipeThrough(new DecompressionStream("deflate")).getReader();
  const parts = [];
  for (let step = await reader.read(); !step.done; step = await reader.read()) parts.push(step.value);
  return joinBytes(parts);
}
