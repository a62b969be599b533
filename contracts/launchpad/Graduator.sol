// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20, IWETH} from "../interfaces/IERC20.sol";
import {IV2Factory, IV2Pair, IV3Factory, IV3Pool} from "../interfaces/IUniswap.sol";
import {SafeToken} from "../interfaces/SafeToken.sol";

/// @title Turns a finished curve's money and tokens into a pool whose liquidity nobody can take out again.
/// @notice A v3 pool that somebody opened at another price keeps that price: a fixture for a devnet, not a defence.
contract Graduator {
    using SafeToken for address;

    error UnknownPoolVersion(uint8 version);
    error NotThePool();

    address private constant NOBODY = 0x000000000000000000000000000000000000dEaD;
    uint24 private constant V3_FEE = 10_000;
    int24 private constant V3_FULL_RANGE = 887_200;

    IWETH public immutable weth;
    IV2Factory public immutable v2Factory;
    IV3Factory public immutable v3Factory;
    address private transient _minting;

    constructor(IWETH weth_, IV2Factory v2Factory_, IV3Factory v3Factory_) {
        (weth, v2Factory, v3Factory) = (weth_, v2Factory_, v3Factory_);
    }

    receive() external payable {}

    /// @notice The caller has already sent `raised` of the pair (ETH when zero) and `tokens` here.
    function graduate(address token, address pair, uint256 raised, uint256 tokens, uint8 version)
        external
        returns (address pool)
    {
        if (pair == address(0)) {
            weth.deposit{value: raised}();
            pair = address(weth);
        }
        if (version == 2) return _intoV2(token, pair, raised, tokens);
        if (version == 3) return _intoV3(token, pair, raised, tokens);
        revert UnknownPoolVersion(version);
    }

    function _intoV2(address token, address pair, uint256 raised, uint256 tokens) private returns (address pool) {
        pool = v2Factory.getPair(token, pair);
        if (pool == address(0)) pool = v2Factory.createPair(token, pair);
        token.send(pool, tokens);
        pair.send(pool, raised);
        IV2Pair(pool).mint(NOBODY);
    }

    function _intoV3(address token, address pair, uint256 raised, uint256 tokens) private returns (address pool) {
        (address token0, address token1) = token < pair ? (token, pair) : (pair, token);
        (uint256 amount0, uint256 amount1) = token < pair ? (tokens, raised) : (raised, tokens);
        pool = v3Factory.getPool(token0, token1, V3_FEE);
        if (pool == address(0)) pool = v3Factory.createPool(token0, token1, V3_FEE);
        (uint160 price,,,,,,) = IV3Pool(pool).slot0();
        if (price == 0) IV3Pool(pool).initialize(uint160(_sqrt((amount1 << 128) / amount0) << 32));
        _minting = pool;
        // A hair less than the whole, since minting rounds what it asks for up.
        uint256 liquidity = _sqrt(amount0 * amount1);
        liquidity -= liquidity / 1_000_000;
        IV3Pool(pool).mint(address(this), -V3_FULL_RANGE, V3_FULL_RANGE, uint128(liquidity), abi.encode(token0, token1));
        _minting = address(0);
    }

    function uniswapV3MintCallback(uint256 owed0, uint256 owed1, bytes calldata data) external {
        if (msg.sender != _minting) revert NotThePool();
        (address token0, address token1) = abi.decode(data, (address, address));
        token0.send(msg.sender, owed0);
        token1.send(msg.sender, owed1);
    }

    function _sqrt(uint256 n) private pure returns (uint256 root) {
        if (n == 0) return 0;
        root = 1 << ((_log2(n) >> 1) + 1);
        while (true) {
            uint256 next = (root + n / root) >> 1;
            if (next >= root) return root;
            root = next;
        }
    }

    function _log2(uint256 n) private pure returns (uint256 log) {
        for (uint256 bit = 128; bit > 0; bit >>= 1) {
            if (n >> bit != 0) {
                n >>= bit;
                log += bit;
            }
        }
    }
}
