// How programs for Node are bundled: by the build and for the npm packages.
import { readFileSync } from 'node:fs'

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

/** A release sets the version in the repository's manifest alone. */
const oneVersion = {
  name: 'one-version',
  setup(b) {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
    b.onLoad({ filter: /[\\/]packages[\\/][\w-]+[\\/]package\.json$/ }, ({ path }) => ({
      contents: JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), version }),
      loader: 'json',
    }))
  },
}

export const PLUGINS = [keptExternal, oneVersion]
