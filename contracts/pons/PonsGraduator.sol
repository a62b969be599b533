// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IPoolManager, ModifyLiquidityParams, PoolKey} from "../interfaces/IUniswap.sol";
import {SafeToken} from "../interfaces/SafeToken.sol";
import {PonsHook} from "./PonsHook.sol";

/// @title Opens a v4 pool with fee 0 behind the launchpad's hook and leaves its full-range liquidity there for good.
contract PonsGraduator {
    using SafeToken for address;

    error NotThePool();

    int24 private constant MAX_TICK = 887_272;
    int24 private constant SPACING = 200;

    IPoolManager public immutable poolManager;
    PonsHook public immutable hook;

    constructor(IPoolManager poolManager_, PonsHook hook_) {
        (poolManager, hook) = (poolManager_, hook_);
    }

    receive() external payable {}

    /// @notice The curve has already sent `quote` of the pair (ETH when zero) and `tokens` here.
    function open(address token, address pair, uint256 quote, uint256 tokens, uint16 creatorTaxBps) external {
        bool pairIsFirst = pair < token;
        PoolKey memory key = PoolKey({
            currency0: pairIsFirst ? pair : token,
            currency1: pairIsFirst ? token : pair,
            fee: 0,
            tickSpacing: SPACING,
            hooks: address(hook)
        });
        (uint256 amount0, uint256 amount1) = pairIsFirst ? (quote, tokens) : (tokens, quote);
        hook.serve(key, pair, creatorTaxBps);
        poolManager.initialize(key, uint160(_sqrt((amount1 << 128) / amount0) << 32));
        // A hair less than the whole, since adding liquidity rounds what it asks for up.
        uint256 liquidity = _sqrt(amount0 * amount1);
        poolManager.unlock(abi.encode(key, liquidity - liquidity / 1_000_000));
    }

    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        if (msg.sender != address(poolManager)) revert NotThePool();
        (PoolKey memory key, uint256 liquidity) = abi.decode(data, (PoolKey, uint256));
        int24 end = MAX_TICK / SPACING * SPACING;
        (int256 delta,) = poolManager.modifyLiquidity(
            key, ModifyLiquidityParams(-end, end, int256(liquidity), bytes32(0)), ""
        );
        _settle(key.currency0, uint256(-(delta >> 128)));
        _settle(key.currency1, uint256(-int256(int128(delta))));
        return "";
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

    function _sqrt(uint256 n) private pure returns (uint256 root) {
        if (n == 0) return 0;
        root = 1 << 128;
        while (true) {
            uint256 next = (root + n / root) >> 1;
            if (next >= root) return root;
            root = next;
        }
    }
}
