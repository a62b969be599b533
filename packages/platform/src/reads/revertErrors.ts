/** Custom errors a trade may revert with, in words for the caller. */

/** A function receives the error's arguments; `inner` renders a wrapped revert. */
type Words = string | ((args: readonly unknown[], inner: (data: unknown) => string) => string)

const ROUTER: Record<string, Words> = {
  'ExecutionFailed(uint256,bytes)': ([index, data], inner) => `commands[${index}]: ${inner(data)}`,
  'TransactionDeadlinePassed()': 'the deadline has passed',
  'V2TooLittleReceived()': 'the v2 pools give less than the minimum',
  'V3TooLittleReceived()': 'the v3 pools give less than the minimum',
  'V4TooLittleReceived(uint256,uint256)': ([least, got]) =>
    `the v4 pools give ${got}, less than the minimum of ${least}`,
  'V4TooLittleReceivedPerHop(uint256,uint256,uint256)': ([hop]) =>
    `hop ${hop} of the v4 pools gives less than its minimum`,
  'V2TooMuchRequested()': 'the v2 pools take more than the maximum',
  'V3TooMuchRequested()': 'the v3 pools take more than the maximum',
  'V4TooMuchRequested(uint256,uint256)': ([most, asked]) =>
    `the v4 pools take ${asked}, more than the maximum of ${most}`,
  'V2InvalidPath()': 'the v2 path is invalid',
  'V3InvalidSwap()': 'the v3 swap moved no tokens',
  'V3InvalidCaller()': 'the v3 swap callback did not come from the pool',
  'InvalidReserves()': 'a v2 pool is empty',
  'InsufficientETH()': 'less ETH came out than the minimum',
  'InsufficientToken()': 'less of the token came out than the minimum',
  'InvalidEthSender()': 'the router received ETH from an unexpected sender',
  'InvalidCommandType(uint256)': ([command]) => `unknown router command ${command}`,
  'InvalidBips()': 'the portion is above 100%',
  'LengthMismatch()': 'the router call has different numbers of commands and inputs',
  'SliceOutOfBounds()': 'the router calldata is truncated',
  'ContractLocked()': 'the router was called from inside its own call',
  'FromAddressIsNotOwner()': 'the tokens do not belong to the caller',
  'BalanceTooLow()': 'the balance is below the checked minimum',
  'UnsafeCast()': 'an amount does not fit its field',
}

const V4: Record<string, Words> = {
  'WrappedError(address,bytes4,bytes,bytes)': ([target, , reason], inner) => `${target}: ${inner(reason)}`,
  'PoolNotInitialized()': 'the v4 pool does not exist',
  'CurrencyNotSettled()': 'the v4 swap was not paid in full',
  'SwapAmountCannotBeZero()': 'the v4 swap amount is zero',
  'ManagerLocked()': 'the v4 pools are locked',
  'DeltaNotPositive(address)': 'the v4 swap has no output to take',
  'DeltaNotNegative(address)': 'the v4 swap has nothing to pay',
}

const PERMIT2: Record<string, Words> = {
  'AllowanceExpired(uint256)': ([at]) =>
    BigInt(at as bigint) === 0n
      ? 'Permit2 has no allowance for the router'
      : `the Permit2 allowance expired at ${at}`,
  'InsufficientAllowance(uint256)': ([left]) =>
    `the Permit2 allowance is ${left}, less than the amount spent`,
  'InvalidNonce()': 'the permit nonce was already used or is not the next one',
  'InvalidSigner()': 'the permit was not signed by the wallet',
  'InvalidSignature()': 'the permit signature is invalid',
  'InvalidSignatureLength()': 'the permit signature is not 65 bytes long',
  'InvalidContractSignature()': 'the wallet’s contract rejects the permit signature',
  'SignatureExpired(uint256)': ([at]) => `the permit expired at ${at}`,
}

const lacking = ([, held, needed]: readonly unknown[]) => `a wallet sends ${needed} but holds ${held}`
const unapproved = ([, allowed, needed]: readonly unknown[]) =>
  `the token allowance is ${allowed}, less than the ${needed} spent`

const TOKENS: Record<string, Words> = {
  'InsufficientBalance(address,uint256,uint256)': lacking,
  'ERC20InsufficientBalance(address,uint256,uint256)': lacking,
  'InsufficientBalance()': 'a wallet holds less of the token than it sends',
  'InsufficientAllowance(address,uint256,uint256)': unapproved,
  'ERC20InsufficientAllowance(address,uint256,uint256)': unapproved,
  'InsufficientAllowance()': 'the token allowance is less than the amount spent',
  'ERC20InvalidReceiver(address)': ([who]) => `the token cannot be sent to ${who}`,
  'ERC20InvalidSender(address)': ([who]) => `the token cannot be sent by ${who}`,
  'SafeERC20FailedOperation(address)': ([token]) => `the transfer of ${token} failed`,
  'SendFailed(address,address,uint256)': ([token, to]) => `${token} could not be sent to ${to}`,
  'TransferFailed()': 'the token transfer failed',
  'TransferFromFailed()': 'the token transfer failed',
  'ETHTransferFailed()': 'the ETH transfer failed',
  'EnforcedPause()': 'the token is paused',
  'WalletBlocked(address)': ([who]) => `the token’s registry blocks ${who}`,
}

const CURVE: Record<string, Words> = {
  'TooLittle(uint256,uint256)': ([out, least]) => `the curve gives ${out}, less than the minimum of ${least}`,
  'Graduated()': 'the curve has graduated',
  'Expired(uint256)': ([at]) => `the deadline ${at} has passed`,
  'ZeroAmount()': 'the amount is zero',
  'WrongValue(uint256,uint256)': ([sent, due]) => `${sent} wei were sent, ${due} are required`,
  'SlippageExceeded(uint256,uint256)': ([out, least]) =>
    `the curve gives ${out}, less than the minimum of ${least}`,
  'CurveGraduated()': 'the curve has graduated',
  'NativeValueMismatch(uint256,uint256)': ([sent, due]) => `${sent} wei were sent, ${due} are required`,
  'UnexpectedNativeValue()': 'ETH was sent to a curve that is paid in a token',
  'Reentered()': 'the curve was called from inside its own call',
}

const PANICS = new Map<bigint, string>([
  [0x01n, 'an assertion failed'],
  [0x11n, 'arithmetic overflow or underflow'],
  [0x12n, 'division by zero'],
  [0x32n, 'array index out of bounds'],
])

export const WORDS_OF_ERROR: Readonly<Record<string, Words>> = {
  ...ROUTER,
  ...V4,
  ...PERMIT2,
  ...TOKENS,
  ...CURVE,
  'Panic(uint256)': ([code]) => PANICS.get(code as bigint) ?? `panic ${code}`,
}

/** Short revert reasons of known contracts, spelled out. */
export const WORDS_OF_REASON: ReadonlyMap<string, string> = new Map([
  [
    'TRANSFER_FROM_FAILED',
    'the token could not be taken from the wallet: its balance or allowance is short, or it refuses',
  ],
  ['TRANSFER_FAILED', 'the token transfer failed'],
  ['ETH_TRANSFER_FAILED', 'the ETH transfer failed'],
  ['STF', 'the token could not be taken from the wallet: its balance or allowance is short, or it refuses'],
  ['TF', 'the token transfer failed'],
  ['IIA', 'the v3 pool received less than required'],
  ['SPL', 'the v3 price limit is on the wrong side'],
  ['LOK', 'the v3 pool is locked'],
  ['UniswapV2: K', 'the v2 pool received less than required'],
  ['UniswapV2: INSUFFICIENT_LIQUIDITY', 'the v2 pool has too little liquidity'],
  ['UniswapV2: INSUFFICIENT_INPUT_AMOUNT', 'the v2 pool received no input'],
  ['UniswapV2: INSUFFICIENT_OUTPUT_AMOUNT', 'the v2 swap would return nothing'],
  ['UniswapV2: TRANSFER_FAILED', 'the v2 pool could not send the token'],
])
