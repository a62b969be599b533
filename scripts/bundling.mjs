// How programs for Node are bundled: by the build and for the npm packages.
/** These stay in node_modules: they read their own files, are native, or are optional. */
const EXTERNAL =
  /^(@electric-sql|@metamask|@nomicfoundation|@redocly|@uniswap|autocannon|bufferutil|openapi-typescript|pg-native|secp256k1|solc|typescript|utf-8-validate)(\/|$)/

// CommonJS packages require Node's built-in modules.
export const BANNER = {
  js:
    "import { createRequire as requireHere } from 'node:module';" +
    'const require = requireHere(import.meta.url);',
}

const keptExternal = {
  name: 'some-stay-external',
  setup(b) {
    b.onResolve({ filter: EXTERNAL }, ({ path }) => ({ path, external: true }))
  },
}

export const PLUGINS = [keptExternal]
