// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Clones} from "../interfaces/Clones.sol";
import {
    IPoolManager,
    IV2Factory,
    IV2Pair,
    IV3Factory,
    IV3Pool,
    ModifyLiquidityParams,
    PoolKey
} from "../interfaces/IUniswap.sol";
import {SafeToken} from "../interfaces/SafeToken.sol";
import {CloneToken} from "../tokens/CloneToken.sol";
import {Operator} from "./Operator.sol";

/// @title Builds the devnet's market in few transactions: tokens by the dozen, and pools of all three kinds.
/// @notice It owns what it builds, and stays the liquidity provider.
contract WorldBuilder is Operator {
    using SafeToken for address;

    /// @notice A position around the pool's tick, in tick spacings; both zero means the full range.
    struct Band {
        uint24 below;
        uint24 above;
        uint128 liquidity;
    }

    struct Birth {
        string name;
        string symbol;
        uint256 supply;
        uint256 salt;
    }

    error NotThePool();

    int24 private constant MAX_TICK = 887_272;

    IV2Factory public immutable v2Factory;
    IV3Factory public immutable v3Factory;
    IPoolManager public immutable poolManager;
    address public immutable tokenCode;
    address private transient _callee;

    constructor(IV2Factory v2Factory_, IV3Factory v3Factory_, IPoolManager poolManager_, address tokenCode_) {
        (v2Factory, v3Factory) = (v2Factory_, v3Factory_);
        (poolManager, tokenCode) = (poolManager_, tokenCode_);
    }

    /// @notice Plain tokens, their whole supply here.
    function births(Birth[] calldata list) external onlyMaster {
        for (uint256 i = 0; i < list.length; i++) {
            address token = Clones.clone(tokenCode, bytes32(list[i].salt));
            CloneToken(token).born(list[i].name, list[i].symbol, list[i].supply, address(this));
        }
    }

    function v2Pool(address a, address b, uint256 amountA, uint256 amountB) external onlyMaster {
        address pool = v2Factory.createPair(a, b);
        a.send(pool, amountA);
        b.send(pool, amountB);
        IV2Pair(pool).mint(address(this));
    }

    function v3Pool(address token0, address token1, uint24 fee, uint160 sqrtPriceX96, Band[] calldata bands)
        external
        onlyMaster
    {
        IV3Pool pool = IV3Pool(v3Factory.createPool(token0, token1, fee));
        pool.initialize(sqrtPriceX96);
        _mintV3(pool, bands, abi.encode(token0, token1));
    }

    function _mintV3(IV3Pool pool, Band[] calldata bands, bytes memory tokens) private {
        (, int24 tick,,,,,) = pool.slot0();
        int24 spacing = pool.tickSpacing();
        _callee = address(pool);
        for (uint256 i = 0; i < bands.length; i++) {
            (int24 lower, int24 upper) = _range(bands[i], tick, spacing);
            pool.mint(address(this), lower, upper, bands[i].liquidity, tokens);
        }
        _callee = address(0);
    }

    /// @notice A swap in a v3 pool with what this contract holds, up to a price.
    function v3Swap(address pool, address token0, address token1, bool zeroForOne, int256 amount, uint160 limit)
        external
        onlyMaster
    {
        _callee = pool;
        IV3Pool(pool).swap(address(this), zeroForOne, amount, limit, abi.encode(token0, token1));
        _callee = address(0);
    }

    function v4Pool(PoolKey calldata key, uint160 sqrtPriceX96, Band[] calldata bands) external onlyMaster {
        int24 tick = poolManager.initialize(key, sqrtPriceX96);
        poolManager.unlock(abi.encode(key, tick, bands));
    }

    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        if (msg.sender != address(poolManager)) revert NotThePool();
        (PoolKey memory key, int24 tick, Band[] memory bands) = abi.decode(data, (PoolKey, int24, Band[]));
        int256 owed0;
        int256 owed1;
        for (uint256 i = 0; i < bands.length; i++) {
            (int24 lower, int24 upper) = _range(bands[i], tick, key.tickSpacing);
            (int256 delta,) = poolManager.modifyLiquidity(
                key, ModifyLiquidityParams(lower, upper, int256(uint256(bands[i].liquidity)), bytes32(i)), ""
            );
            owed0 -= delta >> 128;
            owed1 -= int128(delta);
        }
        _settle(key.currency0, uint256(owed0));
        _settle(key.currency1, uint256(owed1));
        return "";
    }

    function uniswapV3MintCallback(uint256 owed0, uint256 owed1, bytes calldata data) external {
        if (msg.sender != _callee) revert NotThePool();
        (address token0, address token1) = abi.decode(data, (address, address));
        token0.send(msg.sender, owed0);
        token1.send(msg.sender, owed1);
    }

    function uniswapV3SwapCallback(int256 delta0, int256 delta1, bytes calldata data) external {
        if (msg.sender != _callee) revert NotThePool();
        (address token0, address token1) = abi.decode(data, (address, address));
        if (delta0 > 0) token0.send(msg.sender, uint256(delta0));
        if (delta1 > 0) token1.send(msg.sender, uint256(delta1));
    }

    function _settle(address currency, uint256 owed) private {
        if (currency == address(0)) {
            poolManager.settle{value: owed}();
        } else {
            poolManager.sync(currency);
            currency.send(address(poolManager), owed);
            poolManager.settle();
        }
    }

    function _range(Band memory band, int24 tick, int24 spacing) private pure returns (int24 lower, int24 upper) {
        if (band.below == 0 && band.above == 0) {
            upper = MAX_TICK / spacing * spacing;
            return (-upper, upper);
        }
        int24 centre = tick / spacing * spacing;
        if (tick < 0 && tick % spacing != 0) centre -= spacing;
        return (centre - int24(band.below) * spacing, centre + int24(band.above) * spacing);
    }
}
