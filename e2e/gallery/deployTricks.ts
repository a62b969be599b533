import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { ChainProfile } from '@pit/protocol'
import {
  type Abi,
  type Address,
  createWalletClient,
  defineChain,
  getContractAddress,
  type Hex,
  http,
  parseAbi,
  publicActions,
} from 'viem'
import { mnemonicToAccount } from 'viem/accounts'

const MNEMONIC = 'test test test test test test test test test test test junk'

/** Tokens that detect screens, and fair tokens that a careless screen would misjudge. */
export const TRICKS = {
  greedy: { mode: 1, wrong: 'keeps nine tenths of every purchase', risks: ['BUY_TAX'] },
  gas_watcher: { mode: 2, wrong: 'can be sold only at a gas price of zero', risks: ['HONEYPOT'] },
  same_block: { mode: 3, wrong: 'nothing: it only blocks a sale in the block of the purchase', risks: [] },
  silent: {
    mode: 4,
    wrong: 'transfers between wallets return false and move nothing',
    risks: ['TRANSFER_BLOCKED'],
  },
  wordless: { mode: 5, wrong: 'nothing: its transfers return no data, as in some old tokens', risks: [] },
  most_of_it: { mode: 6, wrong: 'a holder can sell at most half of the balance', risks: ['HONEYPOT'] },
  time_bomb: { mode: 7, wrong: 'a holder of half an hour cannot sell', risks: ['HONEYPOT'] },
  shrinking: { mode: 8, wrong: 'balances shrink from block to block', risks: ['REBASING'] },
} as const

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;
contract Trick {
    event Transfer(address indexed from, address indexed to, uint256 value);
    string public name = "Trick";
    string public symbol;
    uint8 public constant decimals = 18;
    uint256 public immutable totalSupply = 1e26;
    uint256 private immutable mode;
    address private immutable maker = msg.sender;
    address private pair;
    mapping(address => uint256) private held;
    mapping(address => uint256) private boughtAt;
    mapping(address => mapping(address => uint256)) public allowance;
    constructor(string memory symbol_, uint256 mode_) { symbol = symbol_; mode = mode_; held[msg.sender] = totalSupply; }
    function trade(address pair_) external { require(msg.sender == maker); pair = pair_; }
    function balanceOf(address who) public view returns (uint256) {
        if (mode == 8 && who != pair && who != maker && boughtAt[who] != 0) return held[who] - held[who] * (block.timestamp - boughtAt[who]) / 1e6;
        return held[who];
    }
    function approve(address spender, uint256 value) external returns (bool) { allowance[msg.sender][spender] = value; return done(true); }
    function transfer(address to, uint256 value) external returns (bool) { return done(move(msg.sender, to, value)); }
    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        require(allowed >= value, "allowance");
        if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - value;
        return done(move(from, to, value));
    }
    function done(bool ok) private view returns (bool) {
        if (mode == 5) assembly { return(0, 0) }
        return ok;
    }
    function move(address from, address to, uint256 value) private returns (bool) {
        require(held[from] >= value, "balance");
        bool selling = to == pair && from != maker;
        bool buying = from == pair && pair != address(0);
        if (mode == 2 && selling) require(tx.gasprice == 0, "nope");
        if (mode == 3 && selling) require(boughtAt[from] < block.number, "same block");
        if (mode == 4 && !selling && !buying && from != maker) return false;
        if (mode == 6 && selling) require(value <= held[from] / 2, "too much");
        if (mode == 7 && selling) require(block.timestamp < boughtAt[from] + 30 minutes, "too late");
        if (buying) boughtAt[to] = mode == 3 ? block.number : block.timestamp;
        uint256 tax = mode == 1 && buying ? value * 9 / 10 : 0;
        held[from] -= value;
        held[to] += value - tax;
        held[maker] += tax;
        emit Transfer(from, to, value - tax);
        return true;
    }
}`

const factoryAbi = parseAbi([
  'function createPair(address a, address b) returns (address pair)',
  'function getPair(address a, address b) view returns (address pair)',
])
const tokenAbi = parseAbi([
  'function transfer(address to, uint256 value)',
  'function deposit() payable',
  'function trade(address pair)',
  'function mint(address to) returns (uint256)',
])

/** Enough for each of them; a block fits three. */
const GAS = 4_500_000n

/** Deploys each with a v2 pair against WETH; returns their addresses. */
export async function deployTricks(url: string, profile: ChainProfile): Promise<Record<string, Address>> {
  const { abi, bytecode } = compile()
  const chain = defineChain({
    id: 4663,
    name: 'devnet',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  })
  const account = mnemonicToAccount(MNEMONIC, { addressIndex: 2 })
  const wallet = createWalletClient({ account, chain, transport: http(url), pollingInterval: 100 }).extend(
    publicActions,
  )
  const [weth, factory] = [profile.contracts.weth as Address, profile.contracts.v2_factory as Address]
  let nonce = await wallet.getTransactionCount({ address: account.address })
  /** All at once, in this order: a block takes as many as fit. */
  const sent: Hex[] = []
  const send = async (address: Address, from: Abi, functionName: string, args: unknown[], value = 0n) =>
    sent.push(
      await wallet.writeContract({ address, abi: from, functionName, args, value, nonce: nonce++, gas: GAS }),
    )
  const mined = async () => {
    for (const hash of sent.splice(0)) {
      const { status } = await wallet.waitForTransactionReceipt({ hash })
      if (status !== 'success') throw new Error(`${hash} reverted`)
    }
  }
  const addresses: Record<string, Address> = {}
  for (const [name, { mode }] of Object.entries(TRICKS)) {
    const token = getContractAddress({ from: account.address, nonce: BigInt(nonce) })
    const args = [name.toUpperCase(), BigInt(mode)]
    sent.push(await wallet.deployContract({ abi, bytecode, args, nonce: nonce++, gas: GAS }))
    await send(factory, factoryAbi, 'createPair', [token, weth])
    addresses[name] = token
  }
  await mined()
  for (const token of Object.values(addresses)) {
    const pair = await wallet.readContract({
      address: factory,
      abi: factoryAbi,
      functionName: 'getPair',
      args: [token, weth],
    })
    await send(token, tokenAbi, 'transfer', [pair, 10n ** 23n])
    await send(weth, tokenAbi, 'deposit', [], 10n ** 19n)
    await send(weth, tokenAbi, 'transfer', [pair, 10n ** 19n])
    await send(pair, tokenAbi, 'mint', [account.address])
    await send(token, tokenAbi, 'trade', [pair])
  }
  await mined()
  return addresses
}

interface Compiled {
  abi: Abi
  bytecode: Hex
}

/** Compiled once; the compiler alone takes seconds to load. */
function compile(): Compiled {
  const folder = '.cache/contracts'
  const file = join(folder, `trick-${createHash('sha256').update(SOURCE).digest('hex').slice(0, 32)}.json`)
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Compiled
  const compiled = compileNow()
  mkdirSync(folder, { recursive: true })
  // Written to a temporary file and renamed, so that a parallel reader never sees half a file.
  writeFileSync(`${file}.${process.pid}`, JSON.stringify(compiled))
  renameSync(`${file}.${process.pid}`, file)
  return compiled
}

function compileNow(): Compiled {
  const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string }
  const input = {
    language: 'Solidity',
    sources: { 'Trick.sol': { content: SOURCE } },
    settings: {
      optimizer: { enabled: true },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as {
    errors?: { severity: string; formattedMessage: string }[]
    contracts?: { 'Trick.sol': { Trick: { abi: Abi; evm: { bytecode: { object: string } } } } }
  }
  const failed = output.errors?.filter(({ severity }) => severity === 'error') ?? []
  const made = output.contracts?.['Trick.sol'].Trick
  if (!made) throw new Error(failed.map(({ formattedMessage }) => formattedMessage).join('\n'))
  return { abi: made.abi, bytecode: `0x${made.evm.bytecode.object}` }
}
